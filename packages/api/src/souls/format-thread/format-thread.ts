import path from "node:path";
import { type Transferable, Worker } from "node:worker_threads";
import { FormatError } from "@soul-hub/soul-formats";
import { HubError } from "../../errors.ts";
import { createSemaphore } from "../../semaphore.ts";
import type { FormatOutcome, FormatTask, FormatTasks } from "./format-worker.ts";
import { ownBuffers } from "./own-buffers.ts";

declare module "../../context.ts" {
  interface Hub {
    /** Reads and writes files of souls beside the main thread (0052). */
    formats: FormatThreads;
  }
}

export interface FormatThreads {
  /**
   * Performs a task in a thread. Arguments and result are copied, but the file of `readSoulFile` is
   * moved: the caller has its bytes no more.
   * @throws FormatError for a refused file, and for one that takes too much time or memory
   * @throws HubError `overloaded` if too many tasks wait; `shutting_down` after `close`
   */
  run<Name extends keyof FormatTasks>(
    name: Name,
    ...args: Parameters<FormatTasks[Name]>
  ): Promise<Awaited<ReturnType<FormatTasks[Name]>>>;
  close(): Promise<void>;
}

const THREADS = 2;
const MAX_WAITING = 50;
/** A file that takes longer is refused. The largest takes about a second. */
const MAX_MS = 30_000;
/** The most memory of a thread's objects and texts. Bytes of files are not among them. */
const MAX_HEAP_MB = 192;
/** A thread without a task ends after this time, and gives its memory back. */
const IDLE_MS = 10_000;

/** Compiled in the npm package (0072), like this module. */
const PROGRAM = path.join(
  import.meta.dirname,
  `format-worker${path.extname(import.meta.filename)}`,
);

/** Creates threads when they are needed. A file of a stranger may take seconds to read. */
export function createFormatThreads({
  maxMs = MAX_MS,
  maxHeapMb = MAX_HEAP_MB,
} = {}): FormatThreads {
  const turns = createSemaphore(THREADS, MAX_WAITING);
  const threads = new Set<Worker>();
  const idle = new Set<Worker>();
  const outcomes = new Map<Worker, PromiseWithResolvers<FormatOutcome>>();
  let idleTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function start(): Worker {
    const thread = new Worker(PROGRAM, {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    });
    threads.add(thread);
    thread.on("message", (outcome: FormatOutcome) => outcomes.get(thread)?.resolve(outcome));
    // An idle thread has no caller that would hear of an error.
    thread.on("error", (error) => outcomes.get(thread)?.reject(error));
    thread.once("exit", () => {
      threads.delete(thread);
      idle.delete(thread);
      const error = isClosed ? new HubError("shutting_down") : new Error("The thread has ended.");
      outcomes.get(thread)?.reject(error);
    });
    return thread;
  }

  async function endAll(given: Iterable<Worker>): Promise<void> {
    const ended = [...given];
    idle.clear();
    await Promise.all(ended.map((thread) => thread.terminate()));
  }

  async function perform(task: FormatTask): Promise<FormatOutcome> {
    if (isClosed) throw new HubError("shutting_down");
    const [thread = start()] = idle;
    idle.delete(thread);
    thread.ref();
    const outcome = Promise.withResolvers<FormatOutcome>();
    outcomes.set(thread, outcome);
    const late = new FormatError("", "takes too long to read");
    const timer = setTimeout(() => outcome.reject(late), maxMs);
    try {
      thread.postMessage(task, movedBy(task));
      const result = await outcome.promise;
      thread.unref();
      idle.add(thread);
      return result;
    } catch (cause) {
      await thread.terminate();
      throw refusalOf(cause);
    } finally {
      clearTimeout(timer);
      outcomes.delete(thread);
      clearTimeout(idleTimer);
      idleTimer = setTimeout(() => void endAll(idle), IDLE_MS).unref();
    }
  }

  return {
    run: async (name, ...args) => {
      const outcome = await turns.run(() => perform({ name, args }));
      if ("result" in outcome) return outcome.result as never;
      throw new FormatError(outcome.refused.at, outcome.refused.message);
    },
    async close() {
      isClosed = true;
      clearTimeout(idleTimer);
      await endAll(threads);
    },
  };
}

/** A copy of a large file would block the main thread for longer than all else does. */
const movedBy = ({ name, args: [file] }: FormatTask): Transferable[] =>
  name === "readSoulFile" && file instanceof Uint8Array ? ownBuffers([file]) : [];

/** A thread that was ended because of its file refuses the file. */
function refusalOf(cause: unknown): unknown {
  const { code } = cause as { code?: string };
  if (code === "ERR_WORKER_OUT_OF_MEMORY") {
    return new FormatError("", "takes too much memory to read", cause);
  }
  return cause;
}
