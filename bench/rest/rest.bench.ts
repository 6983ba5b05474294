import { type BenchDatabase, createBenchDatabase } from "./bench-database.ts";
import { type Contender, startHub, startPeers, YARDSTICK } from "./contenders.ts";
import { type Generator, startGenerator } from "./load/start-generator.ts";
import { stopStarted, watchProcess } from "./pinned-process.ts";
import { type Row, report, type Sample } from "./report.ts";
import { compareAnswers, LIST_PATH, type Questions } from "./same-answers.ts";
import { PUBLIC_SOULS, seedSouls } from "./seed-souls.ts";

const CONNECTIONS = 64;
const ROUNDS = 6;
const SLICE_SECONDS = 2;
const WARM_UP_SECONDS = 2;
/** Whatever hangs, this bench doesn't. */
const AT_MOST_MS = 180_000;
const GENERATOR_CORE = 1;

const rows: Array<{ title: string; goal: number; questions: keyof Questions }> = [
  { title: `GET /api/soul/{id}, ${PUBLIC_SOULS} ids`, goal: 1, questions: "soul" },
  { title: `GET ${LIST_PATH}`, goal: 0.7, questions: "list" },
];

interface Measured {
  contender: Contender;
  questions: Questions;
}

/** `pnpm bench rest`. True: every goal is reached. */
export async function run(): Promise<boolean> {
  let database: BenchDatabase | undefined;
  const cleanUp = async () => {
    await stopStarted();
    await database?.drop();
    database = undefined;
  };
  const giveUp = async (reason: string) => {
    console.error(reason);
    await cleanUp();
    process.exit(1);
  };
  process.on("SIGINT", () => giveUp("interrupted")).on("SIGTERM", () => giveUp("stopped"));
  setTimeout(() => giveUp("This takes too long."), AT_MOST_MS).unref();

  try {
    database = await createBenchDatabase();
    const hub = await startHub(database.url);
    const souls = await seedSouls(database.url);
    const peers = await startPeers(database.url);
    const generator = startGenerator(GENERATOR_CORE);

    const contenders = [hub, ...peers];
    const yardstick = contenders.find(({ name }) => name === YARDSTICK) ?? hub;
    const measured: Measured[] = [];
    for (const contender of contenders) {
      const questions = await compareAnswers(contender, yardstick, souls);
      measured.push({ contender, questions });
    }
    console.log(
      `The answers are the same. ${rows.length * measured.length * ROUNDS} slices of ${SLICE_SECONDS} s follow.`,
    );
    const results: boolean[] = [];
    for (const row of rows) results.push(report(await measure(row, measured, generator)));
    return results.every(Boolean);
  } finally {
    await cleanUp();
  }
}

/** A B C D, A B C D, …: what disturbs the machine for a while disturbs all of them. */
async function measure(
  { title, goal, questions: key }: (typeof rows)[number],
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
