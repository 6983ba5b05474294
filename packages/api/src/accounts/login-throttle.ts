import { HubError } from "../errors.ts";

/** A quarter of an hour, from the first failure on. */
const WINDOW_MS = 15 * 60_000;
/** Wrong passwords for one account from one address. */
const FAILURES_PER_NAME = 10;
/** Wrong passwords from one address, whatever the account: many people may share it. */
const FAILURES_PER_ADDRESS = 100;
/** Of each kind. Beyond that the oldest count is forgotten: memory ends before the attempts do. */
const MAX_COUNTS = 10_000;

interface Attempt {
  /** As typed, lower-case, whether or not somebody has that name. */
  name: string;
  /** Stands for the address that it comes from, see `ipHash`. */
  ipHash: string;
}

/**
 * Slows the guessing of passwords down. It counts failures alone, and never per account alone:
 * whoever guesses elsewhere can't lock the owner out.
 */
export interface LoginThrottle {
  /**
   * Checks a password unless too many were wrong.
   * @throws HubError `rate_limited`
   */
  guard(attempt: Attempt, check: () => Promise<boolean>): Promise<boolean>;
}

export const unthrottled: LoginThrottle = { guard: (_, check) => check() };

export function createLoginThrottle(nowMs: () => number): LoginThrottle {
  const byName = createFailureCounts(FAILURES_PER_NAME, nowMs);
  const byAddress = createFailureCounts(FAILURES_PER_ADDRESS, nowMs);
  /** Who has signed in from where: a neighbour's guessing at other names is not held against them. */
  const atHome = new Set<string>();

  return {
    async guard({ name, ipHash }, check) {
      const place = `${ipHash}/${name}`;
      const assertOpen = () => {
        const waitMs = Math.max(
          byName.waitMs(place),
          atHome.has(place) ? 0 : byAddress.waitMs(ipHash),
        );
        if (waitMs > 0) {
          throw new HubError("rate_limited", { retryAfter: Math.ceil(waitMs / 1_000) });
        }
      };
      assertOpen();
      const isRight = await check();
      // Asked again: of many guesses at once no more are answered than of many in a row.
      assertOpen();
      if (isRight) {
        // Not the address: its own account would be every guesser's way to start anew.
        byName.forget(place);
        atHome.delete(place);
        atHome.add(place);
        dropOldest(atHome);
      } else {
        byName.add(place);
        byAddress.add(ipHash);
      }
      return isRight;
    },
  };
}

function createFailureCounts(max: number, nowMs: () => number) {
  /** In the order of their ends, since every window is as long. */
  const counts = new Map<string, { failures: number; endsMs: number }>();
  const running = (key: string) => {
    const count = counts.get(key);
    if (!count || count.endsMs > nowMs()) return count;
    counts.delete(key);
    return undefined;
  };
  return {
    /** How long until the next attempt may be made; 0 for at once. */
    waitMs(key: string): number {
      const count = running(key);
      return count && count.failures >= max ? count.endsMs - nowMs() : 0;
    },
    add(key: string): void {
      const count = running(key);
      if (count) count.failures++;
      else counts.set(key, { failures: 1, endsMs: nowMs() + WINDOW_MS });
      dropOldest(counts);
    },
    forget: (key: string) => counts.delete(key),
  };
}

function dropOldest(kept: Map<string, unknown> | Set<string>): void {
  if (kept.size <= MAX_COUNTS) return;
  const [oldest] = kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
}
