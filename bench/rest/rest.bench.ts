import { cleanRun } from "../clean-run.ts";
import { startWorker, type WorkerProcess } from "../worker-process.ts";
import { compareResponses, LIST_PATH, type Questions } from "./compare-responses.ts";
import { type Contender, HUB, REFERENCE, startHub, startPeers } from "./contenders.ts";
import type { LoadOrder, LoadResult } from "./load/load-protocol.ts";
import { watchProcess } from "./pinned-process.ts";
import { type Row, report, type Sample } from "./report.ts";
import { PUBLIC_SOULS, seedSouls } from "./seed-souls.ts";
import { prepareWrites } from "./write-requests.ts";

const CONNECTIONS = 64;
const ROUNDS = 6;
const SLICE_SECONDS = 2;
const WARM_UP_SECONDS = 2;
/** Milliseconds after which the benchmark is aborted. */
const AT_MOST_MS = 300_000;
const GENERATOR_CORE = 1;

type Generator = WorkerProcess<LoadOrder, LoadResult>;

interface Measure {
  title: string;
  goal: number;
  questions: keyof AllQuestions;
  /** The names of the contenders that the row measures, by default all. */
  by?: string[];
}

type AllQuestions = Questions & Awaited<ReturnType<typeof prepareWrites>>["questions"];

/** The goals are minimum ratios to the reference (bench/README.md). */
const rows: Measure[] = [
  { title: `GET /api/soul/{id}, ${PUBLIC_SOULS} ids`, goal: 1, questions: "soul" },
  { title: `GET ${LIST_PATH}`, goal: 1, questions: "list" },
  { title: "POST /api/like", goal: 0.9, questions: "like", by: [HUB, REFERENCE] },
  { title: "PUT /api/soul/{id}", goal: 0.9, questions: "change", by: [HUB, REFERENCE] },
];

const isSelected = (title: string, selection: string[]) =>
  selection.length === 0 || selection.some((part) => title.includes(part));

interface Measured {
  contender: Contender;
  questions: AllQuestions;
}

/**
 * Runs `pnpm bench rest`. Resolves to true if every goal is reached.
 * @param selection parts of the titles of the rows to measure; empty selects all
 */
export const run = (selection: string[]): Promise<boolean> =>
  cleanRun(AT_MOST_MS, async (newDatabase) => {
    const url = await newDatabase();
    const hub = await startHub(url);
    const souls = await seedSouls(url);
    const peers = await startPeers(url);
    const generator: Generator = startWorker(
      GENERATOR_CORE,
      new URL("./load/load-generator.ts", import.meta.url),
    );

    const contenders = [hub, ...peers];
    const reference = contenders.find(({ name }) => name === REFERENCE) ?? hub;
    const writes = await prepareWrites(url, souls.publicIds);
    await writes.compare(hub, reference);
    const measured: Measured[] = [];
    for (const contender of contenders) {
      const questions = await compareResponses(contender, reference, souls);
      measured.push({ contender, questions: { ...questions, ...writes.questions } });
    }
    console.log(`All responses are equal. Measuring in slices of ${SLICE_SECONDS} s.`);
    const results: boolean[] = [];
    for (const row of rows.filter(({ title }) => isSelected(title, selection))) {
      const taking = measured.filter(({ contender }) => !row.by || row.by.includes(contender.name));
      results.push(report(await measure(row, taking, generator)));
    }
    await writes.checkTables();
    return results.every(Boolean);
  });

/**
 * The measurement alternates between the contenders (A B C, A B C, …). A disturbance then affects
 * all of them.
 */
async function measure(
  { title, goal, questions: key }: Measure,
  measured: Measured[],
  generator: Generator,
): Promise<Row> {
  const load = ({ contender, questions }: Measured, seconds: number) =>
    generator.ask({
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
