import { createSemaphore } from "../../../semaphore.ts";

declare module "../../../context.ts" {
  interface Hub {
    comparing: ComparisonTurns;
  }
}

/** Lets one comparison of versions run at a time, since a file may take the event loop for 250 ms. */
export interface ComparisonTurns {
  /**
   * Runs a comparison. Comparisons of one address wait for each other first, so that one address
   * takes one place among those that wait.
   * @param address the hash of the caller's address block
   * @throws HubError `overloaded` if the comparison cannot start within 5 s
   */
  run<Result>(address: string, compare: () => Promise<Result>): Promise<Result>;
}

const WAIT_MS = 5_000;
/** At most this many comparisons of one address wait, and this many addresses. */
const MAX_WAITING = 100;

/** @param waitMs milliseconds for which a comparison may wait */
export function createComparisonTurns(waitMs = WAIT_MS): ComparisonTurns {
  const all = createSemaphore(1, MAX_WAITING);
  const addresses = new Map<string, { own: ReturnType<typeof createSemaphore>; calls: number }>();
  return {
    async run(address, compare) {
      const end = performance.now() + waitMs;
      const turns = addresses.get(address) ?? { own: createSemaphore(1, MAX_WAITING), calls: 0 };
      addresses.set(address, turns);
      turns.calls++;
      try {
        return await turns.own.run(
          () => all.run(compare, Math.max(0, end - performance.now())),
          waitMs,
        );
      } finally {
        if (--turns.calls === 0) addresses.delete(address);
      }
    },
  };
}
