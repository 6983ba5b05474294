/** Five consecutive failures open the breaker for ten seconds (decisions §5, Provider). */
const FAILURES_TO_OPEN = 5;
const OPEN_MS = 10_000;
/** While one trial call tests the provider, refused callers may try again after this delay. */
const TRIAL_MS = 1_000;

/** Circuit breaker: refuses calls to a provider that is down. */
export interface Breaker {
  /** Admits a call, or returns the milliseconds after which a call may try again. */
  enter(): BreakerPass | number;
}

/** An admitted call, which reports its outcome. */
export interface BreakerPass {
  /**
   * Reports the first token. That of a trial call closes the breaker, so other calls need not wait
   * for the trial call's end.
   */
  answering(): void;
  /** `neither` is an outcome that says nothing about the provider, such as a cancelled call. */
  ended(outcome: "succeeded" | "failed" | "neither"): void;
}

/** @param now milliseconds of a monotonic clock */
export function createBreaker(now = () => performance.now()): Breaker {
  let failures = 0;
  let openUntil = 0;
  /** The trial call: the only call that is admitted when the breaker's open time has passed. */
  let trial: BreakerPass | undefined;

  const isOpen = () => failures >= FAILURES_TO_OPEN;
  const close = (failuresSoFar: number) => {
    trial = undefined;
    failures = failuresSoFar;
  };

  function admit(): BreakerPass {
    const pass: BreakerPass = {
      answering() {
        // While the breaker is half-open, the first token of the trial call closes it. The next
        // failed call opens it again, unless another call succeeds before.
        if (trial === pass) close(FAILURES_TO_OPEN - 1);
      },
      ended(outcome) {
        const wasTrial = trial === pass;
        if (wasTrial) trial = undefined;
        if (outcome === "succeeded") close(0);
        // Calls that were already running when the breaker opened do not extend the open time.
        if (outcome !== "failed" || (isOpen() && !wasTrial)) return;
        failures++;
        if (isOpen()) openUntil = now() + OPEN_MS;
      },
    };
    return pass;
  }

  return {
    enter() {
      if (!isOpen()) return admit();
      if (trial) return TRIAL_MS;
      if (openUntil > now()) return openUntil - now();
      trial = admit();
      return trial;
    },
  };
}
