import { HubError } from "../../errors.ts";

declare module "../../context.ts" {
  interface Hub {
    modelCalls: ModelCallQueue;
  }
}

/**
 * Limits: concurrent calls per participant, and waiting calls per server (decisions §5, Provider).
 */
const limits = { perParticipant: 8, waiting: 1_000 };
/**
 * Calls with an account's own provider key get at most half of a server's slots and queue. Such
 * calls use up no quota, which would otherwise limit them.
 */
const half = (limit: number): number => Math.ceil(limit / 2);

/**
 * The party that the provider bills: the platform, or an account that uses a provider key of its
 * own.
 */
type Payer = "platform" | "own";

export interface ModelCallQueue {
  /** Number of calls that hold a slot. */
  readonly running: number;
  /** Number of calls that wait for a slot. */
  readonly waiting: number;
  /** True if a model call of this participant could start now, without waiting. */
  canRun(participantId: string, payer?: Payer): boolean;
  /**
   * Waits for a slot, which a model call holds while it runs. Disposing the slot releases it.
   * @throws HubError `overloaded` if the queue is full, `shutting_down` after `close`; the signal's
   *   reason if it aborts
   */
  acquire(participantId: string, signal: AbortSignal, payer?: Payer): Promise<Disposable>;
  /** Rejects all waiting calls and all future ones with `shutting_down`. */
  close(): void;
  /** Resolves when no call is running. */
  idle(): Promise<void>;
}

interface WaitingCall extends PromiseWithResolvers<Disposable> {
  participantId: string;
  payer: Payer;
}

/**
 * Creates a first-in, first-out queue of model calls. If the limit of its participant or payer
 * blocks a call, later calls overtake it.
 * @param perServer maximum number of concurrent calls on this server
 */
export function createModelCallQueue(perServer: number): ModelCallQueue {
  const running = new Map<string, number>();
  const waiting = new Set<WaitingCall>();
  let total = 0;
  let own = 0;
  let isClosed = false;
  let whenIdle: PromiseWithResolvers<void> | undefined;

  const canRun = (participantId: string, payer: Payer = "platform") =>
    total < perServer &&
    (payer === "platform" || own < half(perServer)) &&
    (running.get(participantId) ?? 0) < limits.perParticipant;

  const canWait = (payer: Payer) =>
    waiting.size < limits.waiting &&
    (payer === "platform" ||
      [...waiting].filter((call) => call.payer === "own").length < half(limits.waiting));

  function count(participantId: string, payer: Payer, change: 1 | -1): void {
    total += change;
    if (payer === "own") own += change;
    const calls = (running.get(participantId) ?? 0) + change;
    if (calls === 0) running.delete(participantId);
    else running.set(participantId, calls);
  }

  function start(participantId: string, payer: Payer): Disposable {
    count(participantId, payer, 1);
    const slot = new DisposableStack();
    slot.defer(() => {
      count(participantId, payer, -1);
      if (total === 0) {
        whenIdle?.resolve();
        whenIdle = undefined;
      }
      // When a model call ends, two waiting calls may start: one of its participant, and one of its
      // payer.
      for (const call of waiting) {
        if (!canRun(call.participantId, call.payer)) continue;
        waiting.delete(call);
        call.resolve(start(call.participantId, call.payer));
      }
    });
    return slot;
  }

  return {
    get running() {
      return total;
    },
    get waiting() {
      return waiting.size;
    },
    canRun,

    async acquire(participantId, signal, payer = "platform") {
      signal.throwIfAborted();
      if (isClosed) throw new HubError("shutting_down");
      if (canRun(participantId, payer)) return start(participantId, payer);
      if (!canWait(payer)) throw new HubError("overloaded");
      const call = { participantId, payer, ...Promise.withResolvers<Disposable>() };
      const onAbort = () => {
        waiting.delete(call);
        call.reject(signal.reason);
      };
      waiting.add(call);
      signal.addEventListener("abort", onAbort, { once: true });
      return call.promise.finally(() => signal.removeEventListener("abort", onAbort));
    },

    close() {
      isClosed = true;
      for (const { reject } of waiting) reject(new HubError("shutting_down"));
      waiting.clear();
    },

    async idle() {
      if (total === 0) return;
      whenIdle ??= Promise.withResolvers();
      await whenIdle.promise;
    },
  };
}
