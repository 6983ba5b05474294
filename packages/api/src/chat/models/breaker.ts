/** Decisions §5: five failures in a row open a provider's breaker for ten seconds. */
const FAILURES_TO_OPEN = 5;
const OPEN_MS = 10_000;
/** What callers are told while one call tries whether the provider is back. */
const TRIAL_MS = 1_000;

/** Keeps calls away from a provider that is down. */
export interface Breaker {
  /** Lets a call through, or says how many milliseconds there are until one may try again. */
  enter(): BreakerPass | number;
}

/** A call that was let through tells how it went. */
export interface BreakerPass {
  /** The provider has begun to answer: others need not wait for the end of this call. */
  answering(): void;
  /** `neither`: the call says nothing about the provider, such as one whose caller went. */
  ended(how: "succeeded" | "failed" | "neither"): void;
}

/** @param now milliseconds on a clock that never goes back */
export function createBreaker(now: () => number): Breaker {
  let inARow = 0;
  let openUntil = 0;
  /** The one call that is let through when the ten seconds are over. */
  let trial: BreakerPass | undefined;

  const isOpen = () => inARow >= FAILURES_TO_OPEN;
  const close = (failuresSoFar: number) => {
    trial = undefined;
    inARow = failuresSoFar;
  };

  function pass(): BreakerPass {
    const own: BreakerPass = {
      answering() {
        // One more failure opens it again at once.
        if (trial === own) close(FAILURES_TO_OPEN - 1);
      },
      ended(how) {
        const wasTrial = trial === own;
        if (wasTrial) trial = undefined;
        if (how === "succeeded") close(0);
        // Calls that were under way when it opened don't keep it open.
        if (how !== "failed" || (isOpen() && !wasTrial)) return;
        inARow++;
        if (isOpen()) openUntil = now() + OPEN_MS;
      },
    };
    return own;
  }

  return {
    enter() {
      if (!isOpen()) return pass();
      if (trial) return TRIAL_MS;
      if (openUntil > now()) return openUntil - now();
      trial = pass();
      return trial;
    },
  };
}
