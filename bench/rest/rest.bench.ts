import { cleanRun } from "../clean-run.ts";
import { type Contender, HUB, startHub, startPeers, YARDSTICK } from "./contenders.ts";
import { type Generator, startGenerator } from "./load/start-generator.ts";
import { watchProcess } from "./pinned-process.ts";
import { type Row, report, type Sample } from "./report.ts";
import { compareAnswers, LIST_PATH, type Questions } from "./same-answers.ts";
import { PUBLIC_SOULS, seedSouls } from "./seed-souls.ts";
import { writeQuestions } from "./write-questions.ts";

const CONNECTIONS = 64;
const ROUNDS = 6;
const SLICE_SECONDS = 2;
const WARM_UP_SECONDS = 2;
/** Whatever hangs, this bench doesn't. */
const AT_MOST_MS = 300_000;
const GENERATOR_CORE = 1;

interface Measure {
  title: string;
  goal: number;
  questions: keyof AllQuestions;
  /** Who takes part; all of them without it. */
  by?: string[];
}

type AllQuestions = Questions & Awaited<ReturnType<typeof writeQuestions>>["questions"];

const rows: Measure[] = [
  { title: `GET /api/soul/{id}, ${PUBLIC_SOULS} ids`, goal: 1, questions: "soul" },
  { title: `GET ${LIST_PATH}`, goal: 0.7, questions: "list" },
  { title: "POST /api/like", goal: 0.6, questions: "like", by: [HUB, YARDSTICK] },
  { title: "PUT /api/soul/{id}", goal: 0.6, questions: "change", by: [HUB, YARDSTICK] },
];

const isAsked = (title: string, asked: string[]) =>
  asked.length === 0 || asked.some((part) => title.includes(part));

interface Measured {
  contender: Contender;
  questions: AllQuestions;
}

/**
 * `pnpm bench rest`. True: every goal is reached.
 * @param asked the rows whose title holds one of these; none: all
 */
export const run = (asked: string[]): Promise<boolean> =>
  cleanRun(AT_MOST_MS, async (newDatabase) => {
    const url = await newDatabase();
    const hub = await startHub(url);
    const souls = await seedSouls(url);
    const peers = await startPeers(url);
    const generator = startGenerator(GENERATOR_CORE);

    const contenders = [hub, ...peers];
    const yardstick = contenders.find(({ name }) => name === YARDSTICK) ?? hub;
    const writes = await writeQuestions(url, souls.publicIds);
    await writes.compare(hub, yardstick);
    const measured: Measured[] = [];
    for (const contender of contenders) {
      const questions = await compareAnswers(contender, yardstick, souls);
      measured.push({ contender, questions: { ...questions, ...writes.questions } });
    }
    console.log(`The answers are the same. Slices of ${SLICE_SECONDS} s follow.`);
    const results: boolean[] = [];
    for (const row of rows.filter(({ title }) => isAsked(title, asked))) {
      const taking = measured.filter(({ contender }) => !row.by || row.by.includes(contender.name));
      results.push(report(await measure(row, taking, generator)));
    }
    await writes.checkTables();
    return results.every(Boolean);
  });

/** A B C D, A B C D, …: what disturbs the machine for a while disturbs all of them. */
async function measure(
  { title, goal, questions: key }: Measure,
  measured: Measured[],
  generator: Generator,
): Promise<Row> {
  const load = ({ contender, questions }: Measured, seconds: number) =>
    generator.load({
      port: contender.port,
      connections: CONNECTIONS,
      seconds,
      questions: questions[key],
    });
  for (const each of measured) await load(each, WARM_UP_SECONDS);
  const samples = new Map(measured.map(({ contender }) => [contender.name, [] as Sample[]]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const each of measured) {
      const watch = watchProcess(each.contender.process);
      const result = await load(each, SLICE_SECONDS);
      samples.get(each.contender.name)?.push({ ...result, use: watch.read() });
    }
  }
  return { title, goal, samples };
}
