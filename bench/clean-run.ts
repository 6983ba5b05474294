import { type BenchDatabase, createBenchDatabase } from "./rest/bench-database.ts";
import { stopStarted } from "./rest/pinned-process.ts";

/**
 * Runs a bench that starts processes and makes databases. However it ends, also by a signal or
 * because it hangs, both are gone afterwards.
 */
export async function cleanRun(
  atMostMs: number,
  work: (
    newDatabase: () => Promise<string>,
    onEnd: (cleanUp: () => Promise<void>) => void,
  ) => Promise<boolean>,
): Promise<boolean> {
  const databases: BenchDatabase[] = [];
  const more: (() => Promise<void>)[] = [];
  const cleanUp = async () => {
    await stopStarted();
    for (const each of more.splice(0)) await each();
    for (const database of databases.splice(0)) await database.drop();
  };
  const giveUp = async (reason: string) => {
    console.error(reason);
    await cleanUp();
    process.exit(1);
  };
  const interrupt = () => giveUp("interrupted");
  const stop = () => giveUp("stopped");
  process.on("SIGINT", interrupt).on("SIGTERM", stop);
  const timer = setTimeout(() => giveUp("This takes too long."), atMostMs);
  try {
    const newDatabase = async () => {
      const database = await createBenchDatabase(databases.length);
      databases.push(database);
      return database.url;
    };
    return await work(newDatabase, (each) => more.push(each));
  } finally {
    clearTimeout(timer);
    await cleanUp();
    process.off("SIGINT", interrupt).off("SIGTERM", stop);
  }
}
