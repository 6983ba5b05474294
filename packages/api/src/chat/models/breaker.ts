/** Decisions §5: five failures in a row open a provider's breaker for ten seconds. */
const FAILURES_TO_OPEN = 5;
const OPEN_MS = 10_000;

/** Keeps calls away from a provider that is down. */
export interface Breaker {
  /** Milliseconds until calls may go through again; 0 when they may. */
  openForMs(): number;
  succeeded(): void;
  failed(): void;
}

/** @param now milliseconds on a clock that never goes back */
export function createBreaker(now: () => number): Breaker {
  let inARow = 0;
  let openUntil = 0;
  return {
    openForMs: () => Math.max(0, openUntil - now()),
    succeeded() {
      inARow = 0;
      openUntil = 0;
    },
    failed() {
      // Calls that were under way when it opened don't keep it open.
      if (openUntil > now()) return;
      inARow++;
      // After the ten seconds the row goes on: the next failure opens it again at once.
      if (inARow >= FAILURES_TO_OPEN) openUntil = now() + OPEN_MS;
    },
  };
}
