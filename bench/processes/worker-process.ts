import { once } from "node:events";
import type { Stage } from "../runner/stage.ts";
import { type ProcessOptions, type StartedProcess, startProcess } from "./start-process.ts";

/** A process that executes orders with `executeOrders`, such as a load generator or a server. */
export interface WorkerProcess<Order, Answer> extends StartedProcess {
  /** Sends an order and awaits its answer. Calls must not overlap. */
  ask(order: Order): Promise<Answer>;
  /** Awaits the next answer of the process, such as its report after the start. */
  next<Message>(): Promise<Message>;
}

export type Reply<Answer> = { answer: Answer } | { error: string };

/** Starts a worker process. Pending orders fail when the process exits. */
export function startWorker<Order extends object, Answer>(
  stage: Stage,
  script: URL,
  options: ProcessOptions,
): WorkerProcess<Order, Answer> {
  const started = startProcess(stage, script, options);
  const next = async <Message>() => {
    const [reply] = await Promise.race([once(started.process, "message"), started.ended]);
    if ("error" in reply) throw new Error(reply.error);
    return reply.answer as Message;
  };
  return {
    ...started,
    next,
    ask: (order) => {
      const answered = next<Answer>();
      // An order may fail while its caller awaits something else.
      answered.catch(() => undefined);
      started.process.send(order);
      return answered;
    },
  };
}
