import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { startPinned } from "../rest/pinned-process.ts";

export interface TalkingProcess<Order, Answer> {
  process: ChildProcess;
  /** Sends an order and waits for its answer: one at a time. */
  ask(order: Order): Promise<Answer>;
  /** What it says by itself, or later. */
  next<Said>(): Promise<Said>;
}

/** A process on one core that takes orders. Whoever waits for it hears when it breaks off. */
export function startTalking<Order extends object, Answer>(
  core: 0 | 1,
  script: string,
  args: string[] = [],
  runtime?: string,
): TalkingProcess<Order, Answer> {
  const child = startPinned(core, script, args, { ipc: true, ...(runtime ? { runtime } : {}) });
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`${script} broke off.`)));
  // At the end of a row it does end, and nobody waits for it.
  ended.catch(() => undefined);
  const next = async <Said>() => {
    const [said] = await Promise.race([once(child, "message"), ended]);
    return said as Said;
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
