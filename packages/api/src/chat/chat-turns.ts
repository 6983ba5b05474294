import { HubError } from "../errors.ts";

/** Decisions §5, Provider: calls of one account and of one server at a time, and how many may wait. */
const limits = { perParticipant: 8, perServer: 256, waiting: 1_000 };

export interface ChatTurns {
  /** Calls that wait for a place. */
  readonly waiting: number;
  /**
   * Waits for a place and returns what gives it back.
   * @throws HubError `overloaded` when too many wait already; the signal's reason when it aborts
   */
  take(participantId: string, signal: AbortSignal): Promise<() => void>;
  /** From now on nobody starts: who waits or comes is told `shutting_down`. */
  close(): void;
  /** Resolves when no call runs any more. */
  idle(): Promise<void>;
}

interface Waiting {
  participantId: string;
  start: () => void;
  refuse: (reason: HubError) => void;
}

/** First come, first served among those whose own limit allows it. */
export function createChatTurns(): ChatTurns {
  const running = new Map<string, number>();
  const queue: Waiting[] = [];
  let total = 0;
  let isClosed = false;
  let whenIdle: PromiseWithResolvers<void> | undefined;

  const mayRun = (participantId: string) =>
    total < limits.perServer && (running.get(participantId) ?? 0) < limits.perParticipant;

  function start(participantId: string): () => void {
    total++;
    running.set(participantId, (running.get(participantId) ?? 0) + 1);
    let isDone = false;
    return () => {
      if (isDone) return;
      isDone = true;
      total--;
      const left = (running.get(participantId) ?? 1) - 1;
      if (left === 0) running.delete(participantId);
      else running.set(participantId, left);
      if (total === 0) whenIdle?.resolve();
      const next = queue.findIndex((waiting) => mayRun(waiting.participantId));
      if (next >= 0) queue.splice(next, 1)[0]?.start();
    };
  }

  return {
    get waiting() {
      return queue.length;
    },
    async take(participantId, signal) {
      signal.throwIfAborted();
      if (isClosed) throw new HubError("shutting_down");
      if (mayRun(participantId)) return start(participantId);
      if (queue.length >= limits.waiting) throw new HubError("overloaded");
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const waiting: Waiting = {
        participantId,
        start: () => resolve(start(participantId)),
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
