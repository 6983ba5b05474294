import { parentPort } from "node:worker_threads";
import {
  cardNickname,
  exportSoul,
  FormatError,
  filesOfSoul,
  type ImportedSoul,
  readSoulFile,
  soulOfFiles,
} from "@soul-hub/soul-formats";
import { ownBuffers } from "./own-buffers.ts";

// The program of a thread (format-thread.ts).

/** What a soul's 200,000 characters take at most (decisions §2). Longer content is not copied. */
const MAX_CONTENT_UNITS = 400_000;

const tasks = {
  cardNickname,
  exportSoul,
  filesOfSoul,
  soulOfFiles,
  async readSoulFile(...args: Parameters<typeof readSoulFile>) {
    const read = await readSoulFile(...args);
    if (read.content.length > MAX_CONTENT_UNITS) {
      throw new FormatError("", "has content of more than 200000 characters");
    }
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
  parentPort?.postMessage(outcome, movedBy(outcome));
});

/** The files of a soul that was read are moved, as no one needs them here. */
function movedBy(outcome: FormatOutcome): ArrayBuffer[] {
  const result = "result" in outcome ? (outcome.result as Partial<ImportedSoul> | null) : null;
  const files = result?.package;
  return ownBuffers((files ?? []).map(({ bytes }) => bytes));
}

/** Any other error ends the thread. */
function asRefusal(error: unknown): FormatOutcome {
  if (!(error instanceof FormatError)) throw error;
  return { refused: { at: error.at, message: error.message } };
}
