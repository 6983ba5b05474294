import { HubError } from "../errors.ts";

/** Decisions §5, Provider: calls of one account at a time, and how many may wait. */
const limits = { perParticipant: 8, waiting: 1_000 };
/** Calls with own keys are free, also to hold open: half is always left to the platform's. */
const half = (limit: number): number => Math.ceil(limit / 2);

/** Who pays the provider: the platform, or accounts with keys of their own. */
type Payer = "platform" | "own";

export interface ChatTurns {
  /** Calls that wait for a place. */
  readonly waiting: number;
  /** Whoever asks now gets a place without waiting. */
  isFree(participantId: string, payer?: Payer): boolean;
  /**
   * Waits for a place and returns what gives it back.
   * @throws HubError `overloaded` when too many wait already; the signal's reason when it aborts
   */
  take(participantId: string, signal: AbortSignal, payer?: Payer): Promise<() => void>;
  /** From now on nobody starts: who waits or comes is told `shutting_down`. */
  close(): void;
  /** Resolves when no call runs any more. */
  idle(): Promise<void>;
}

interface Waiting {
  participantId: string;
  payer: Payer;
  start: () => void;
  refuse: (reason: HubError) => void;
}

/**
 * First come, first served among those whose own limit allows it.
 * @param perServer calls of this server at a time
 */
export function createChatTurns(perServer: number): ChatTurns {
  const running = new Map<string, number>();
  const queue: Waiting[] = [];
  let total = 0;
  let own = 0;
  let isClosed = false;
  let whenIdle: PromiseWithResolvers<void> | undefined;

  const mayRun = (participantId: string, payer: Payer = "platform") =>
    total < perServer &&
    (payer === "platform" || own < half(perServer)) &&
    (running.get(participantId) ?? 0) < limits.perParticipant;

  const mayWait = (payer: Payer) =>
    queue.length < limits.waiting &&
    (payer === "platform" ||
      queue.filter((waiting) => waiting.payer === "own").length < half(limits.waiting));

  /** One place that is given back may let two start: one by the account's limit, one by its payer's. */
  function startWaiting(): void {
    for (;;) {
      const next = queue.findIndex(({ participantId, payer }) => mayRun(participantId, payer));
      if (next < 0) return;
      queue.splice(next, 1)[0]?.start();
    }
  }

  function start(participantId: string, payer: Payer): () => void {
    total++;
    if (payer === "own") own++;
    running.set(participantId, (running.get(participantId) ?? 0) + 1);
    let isDone = false;
    return () => {
      if (isDone) return;
      isDone = true;
      total--;
      if (payer === "own") own--;
      const left = (running.get(participantId) ?? 1) - 1;
      if (left === 0) running.delete(participantId);
      else running.set(participantId, left);
      if (total === 0) whenIdle?.resolve();
      startWaiting();
    };
  }

  return {
    get waiting() {
      return queue.length;
    },
    isFree: mayRun,
    async take(participantId, signal, payer = "platform") {
      signal.throwIfAborted();
      if (isClosed) throw new HubError("shutting_down");
      if (mayRun(participantId, payer)) return start(participantId, payer);
      if (!mayWait(payer)) throw new HubError("overloaded");
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const waiting: Waiting = {
        participantId,
        payer,
        start: () => resolve(start(participantId, payer)),
        refuse: reject,
      };
      const giveUp = () => {
        const place = queue.indexOf(waiting);
        if (place >= 0) queue.splice(place, 1);
        reject(signal.reason);
      };
      queue.push(waiting);
      signal.addEventListener("abort", giveUp, { once: true });
      return promise.finally(() => signal.removeEventListener("abort", giveUp));
    },

    close() {
      isClosed = true;
      for (const { refuse } of queue.splice(0)) refuse(new HubError("shutting_down"));
    },

    async idle() {
      if (total === 0) return;
      whenIdle ??= Promise.withResolvers();
      await whenIdle.promise;
    },
  };
}
