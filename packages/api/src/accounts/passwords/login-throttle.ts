import { LRUCache } from "lru-cache";
import { HubError } from "../../errors.ts";

declare module "../../context.ts" {
  interface Hub {
    loginThrottle: LoginThrottle;
  }
}

/** Length of the window in which failed logins count. It starts with the first failed login. */
const WINDOW_MS = 15 * 60_000;
/** Failed logins per window for one username from one address. */
const FAILURES_PER_NAME = 10;
/**
 * Failed logins per window from one address. The limit is high, because several users can share an
 * address.
 */
const FAILURES_PER_ADDRESS = 100;
/** Maximum number of entries in each cache of the login throttle. */
const MAX_ENTRIES = 10_000;

/**
 * Limits failed password checks (0008). Failures are never counted per account alone, so that
 * guesses from other addresses cannot lock out the owner.
 */
export interface LoginThrottle {
  /**
   * Runs the password check unless the attempt is over a limit.
   * @param attempt the lower-case username, which may be unknown, and the keyed hash of the address
   * @returns the result of `check`
   * @throws HubError `rate_limited`
   */
  guard(attempt: { name: string; ipHash: string }, check: () => Promise<boolean>): Promise<boolean>;
}

export const unthrottled: LoginThrottle = { guard: (_, check) => check() };

/** @param nowMs returns the current time in milliseconds, never 0 */
export function createLoginThrottle(nowMs: () => number): LoginThrottle {
  const byName = createFailureCounter(FAILURES_PER_NAME, nowMs);
  const byAddress = createFailureCounter(FAILURES_PER_ADDRESS, nowMs);
  /**
   * Pairs of address and username that logged in before. The failure limit per address does not
   * apply to these pairs.
   */
  const knownSignIns = new LRUCache<string, true>({ max: MAX_ENTRIES });

  return {
    async guard({ name, ipHash }, check) {
      const key = `${ipHash}/${name}`;
      const assertAllowed = () => {
        const addressWaitMs = knownSignIns.has(key) ? 0 : byAddress.waitMs(ipHash);
        const waitMs = Math.max(byName.waitMs(key), addressWaitMs);
        if (waitMs > 0) {
          throw new HubError("rate_limited", { retryAfter: Math.ceil(waitMs / 1_000) });
        }
      };
      assertAllowed();
      const isRight = await check();
      // The limit is checked again after the password check, so that concurrent guesses cannot
      // exceed it.
      assertAllowed();
      if (isRight) {
        // A success does not reset the failure count of the address. Otherwise attackers could
        // reset that count with logins to their own accounts.
        byName.reset(key);
        knownSignIns.set(key, true);
      } else {
        byName.add(key);
        byAddress.add(ipHash);
      }
      return isRight;
    },
  };
}

function createFailureCounter(max: number, nowMs: () => number) {
  const failures = new LRUCache<string, number>({
    max: MAX_ENTRIES,
    ttl: WINDOW_MS,
    ttlResolution: 0,
    noUpdateTTL: true,
    perf: { now: nowMs },
  });
  return {
    /** Milliseconds until the next login attempt is allowed; 0 or less if it is allowed now. */
    waitMs: (key: string) => ((failures.get(key) ?? 0) >= max ? failures.getRemainingTTL(key) : 0),
    add: (key: string) => failures.set(key, (failures.get(key) ?? 0) + 1),
    reset: (key: string) => failures.delete(key),
  };
}
