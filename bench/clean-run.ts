import { type BenchDatabase, createBenchDatabase } from "./rest/bench-database.ts";
import { stopStarted } from "./rest/pinned-process.ts";

/**
 * Runs a benchmark, then stops its processes and drops its databases, also after an error, a signal
 * or a timeout. On a signal or timeout it exits with 1.
 * @param work receives functions that create a database and register a cleanup
 */
export async function cleanRun(
  atMostMs: number,
  work: (
    newDatabase: () => Promise<string>,
    onEnd: (cleanUp: () => Promise<void>) => void,
  ) => Promise<boolean>,
): Promise<boolean> {
  const databases: BenchDatabase[] = [];
  const cleanUps: (() => Promise<void>)[] = [];
  const cleanUp = async () => {
    await stopStarted();
    for (const each of cleanUps.splice(0)) await each();
    for (const database of databases.splice(0)) await database.drop();
  };
  const abort = async (reason: string) => {
    console.error(reason);
    await cleanUp();
    process.exit(1);
  };
  const interrupt = () => abort("Interrupted.");
  const stop = () => abort("Stopped.");
  process.on("SIGINT", interrupt).on("SIGTERM", stop);
  const timer = setTimeout(() => abort(`Aborted after ${atMostMs / 1_000} s.`), atMostMs);
  try {
    const newDatabase = async () => {
      const database = await createBenchDatabase(databases.length);
      databases.push(database);
      return database.url;
    };
    return await work(newDatabase, (each) => cleanUps.push(each));
  } finally {
    clearTimeout(timer);
    await cleanUp();
    process.off("SIGINT", interrupt).off("SIGTERM", stop);
  }
}
