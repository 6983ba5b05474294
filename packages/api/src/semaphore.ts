import { HubError } from "./errors.ts";

declare module "./context.ts" {
  interface Hub {
    /** Limits the database connections that store replies, so that others are free for reads. */
    storing: Semaphore;
    /** Limits the database connections that search messages: a search reads many of them. */
    searching: Semaphore;
  }
}

/** Runs a limited number of tasks at a time; the others wait in order. */
export interface Semaphore {
  /**
   * @param timeoutMs the time for which the task may wait; unlimited by default
   * @throws HubError `overloaded` if the task cannot start within `timeoutMs`, or the queue is full
   */
  run<Result>(task: () => Promise<Result>, timeoutMs?: number): Promise<Result>;
}

/** Creates a semaphore for `limit` concurrent tasks, with a queue of at most `maxWaiting` (0015). */
export function createSemaphore(limit: number, maxWaiting = Number.POSITIVE_INFINITY): Semaphore {
  const waiting = new Set<() => void>();
  let free = limit;

  const acquire = (timeoutMs?: number) =>
    new Promise<void>((resolve, reject) => {
      if (waiting.size >= maxWaiting) throw new HubError("overloaded");
      const start = () => {
        clearTimeout(timer);
        resolve();
      };
      const expire = () => {
        waiting.delete(start);
        reject(new HubError("overloaded"));
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(expire, timeoutMs);
      waiting.add(start);
    });

  return {
    async run(task, timeoutMs) {
      if (free > 0) free--;
      else await acquire(timeoutMs);
      try {
        return await task();
      } finally {
        const [next] = waiting;
        if (next) {
          waiting.delete(next);
          next();
        } else free++;
      }
    },
  };
}
