import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { startPinned } from "./rest/pinned-process.ts";

/** A process of a benchmark that executes orders, such as a load generator or a server. */
export interface WorkerProcess<Order, Answer> {
  process: ChildProcess;
  /** Sends an order and awaits its answer. Calls must not overlap. */
  ask(order: Order): Promise<Answer>;
  /** Awaits the next message of the process, such as its report after the start. */
  next<Message>(): Promise<Message>;
}

interface WorkerOptions {
  args?: string[];
  /** The program that runs the script, by default the Node that runs the benchmark. */
  runtime?: string;
  /** Command-line options of V8 for the program. */
  flags?: string[];
}

/** Starts a worker process on one core. Pending orders fail when the process exits. */
export function startWorker<Order extends object, Answer>(
  core: 0 | 1,
  script: URL,
  { args = [], ...options }: WorkerOptions = {},
): WorkerProcess<Order, Answer> {
  const file = fileURLToPath(script);
  const child = startPinned(core, file, args, { ipc: true, ...options });
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`${file} ended early.`)));
  // Without this handler, Node would report an unhandled rejection when the process exits at the
  // end of the benchmark.
  ended.catch(() => undefined);
  const next = async <Message>() => {
    const [message] = await Promise.race([once(child, "message"), ended]);
    return message as Message;
  };
  return {
    process: child,
    next,
    ask: (order) => {
      const answered = next<Answer>();
      child.send(order);
      return answered;
    },
  };
}
