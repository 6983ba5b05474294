import { parentPort } from "node:worker_threads";
import {
  cardNickname,
  exportSoul,
  FormatError,
  filesOfSoul,
  readSoulFile,
  soulOfFiles,
} from "@soul-hub/soul-formats";

// The program of a thread (format-thread.ts).

const tasks = {
  cardNickname,
  exportSoul,
  filesOfSoul,
  soulOfFiles,
  async readSoulFile(...args: Parameters<typeof readSoulFile>) {
    const read = await readSoulFile(...args);
    return { ...read, nickname: cardNickname(read.package) };
  },
};

export type FormatTasks = typeof tasks;

/** A call of a task. */
export interface FormatTask {
  name: keyof FormatTasks;
  args: readonly unknown[];
}

/** The result of a task, or why a file is refused. */
export type FormatOutcome = { result: unknown } | { refused: { at: string; message: string } };

parentPort?.on("message", async ({ name, args }: FormatTask) => {
  // The caller's types guarantee that the arguments are those of the task.
  const perform = tasks[name] as (...given: readonly unknown[]) => unknown;
  const outcome = await Promise.resolve()
    .then(() => perform(...args))
    .then((result): FormatOutcome => ({ result }), asRefusal);
  parentPort?.postMessage(outcome);
});

/** Any other error ends the thread. */
function asRefusal(error: unknown): FormatOutcome {
  if (!(error instanceof FormatError)) throw error;
  return { refused: { at: error.at, message: error.message } };
}
