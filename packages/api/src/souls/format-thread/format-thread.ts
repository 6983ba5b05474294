import { once } from "node:events";
import path from "node:path";
import { type Transferable, Worker } from "node:worker_threads";
import { FormatError } from "@soul-hub/soul-formats";
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
   * @throws HubError `overloaded` if too many tasks wait
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
  const idle: Worker[] = [];
  let idleTimer: NodeJS.Timeout | undefined;

  function start(): Worker {
    const thread = new Worker(PROGRAM, {
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    });
    threads.add(thread);
    // The caller hears of an error while a task runs. An idle thread has none.
    thread.on("error", () => undefined);
    return thread;
  }

  async function end(thread: Worker): Promise<void> {
    threads.delete(thread);
    await thread.terminate();
  }

  async function perform(task: FormatTask): Promise<FormatOutcome> {
    clearTimeout(idleTimer);
    const thread = idle.pop() ?? start();
    thread.ref();
    try {
      thread.postMessage(task, movedBy(task));
      const signal = AbortSignal.timeout(maxMs);
      const [outcome] = (await once(thread, "message", { signal })) as [FormatOutcome];
      thread.unref();
      idle.push(thread);
      return outcome;
    } catch (cause) {
      await end(thread);
      throw refusalOf(cause);
    } finally {
      idleTimer = setTimeout(() => void Promise.all(idle.splice(0).map(end)), IDLE_MS).unref();
    }
  }

  return {
    run: async (name, ...args) => {
      const outcome = await turns.run(() => perform({ name, args }));
      if ("result" in outcome) return outcome.result as never;
      throw new FormatError(outcome.refused.at, outcome.refused.message);
    },
    async close() {
      clearTimeout(idleTimer);
      await Promise.all([...threads].map(end));
    },
  };
}

/** A copy of a large file would block the main thread for longer than all else does. */
const movedBy = ({ name, args: [file] }: FormatTask): Transferable[] =>
  name === "readSoulFile" && file instanceof Uint8Array ? ownBuffers([file]) : [];

/** A thread that was ended because of its file refuses the file. */
function refusalOf(cause: unknown): unknown {
  const { name, code } = cause as { name?: string; code?: string };
  if (name === "AbortError") return new FormatError("", "takes too long to read", cause);
  if (code === "ERR_WORKER_OUT_OF_MEMORY") {
    return new FormatError("", "takes too much memory to read", cause);
  }
  return cause;
}
