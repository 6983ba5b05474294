import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { HubError } from "./errors.ts";

const MINUTE_SECONDS = 60;

/**
 * The rate limits: `points` per window of `duration` seconds. Even a busy page uses only a fraction
 * of the points (0009).
 */
export const rateRules = {
  read: { points: 1_200, duration: MINUTE_SECONDS },
  write: { points: 240, duration: MINUTE_SECONDS },
  /**
   * Registrations have a lower limit. Each takes a username, and hashing its password needs 19 MiB
   * of memory and a CPU core.
   */
  register: { points: 30, duration: 60 * MINUTE_SECONDS },
  /** An export reads up to 10,000 messages (0042). */
  export: { points: 10, duration: 60 * MINUTE_SECONDS },
  /** A copy writes up to 2 million characters (0042). */
  copy: { points: 20, duration: 60 * MINUTE_SECONDS },
  /** An import unpacks up to 17 MiB (0052). */
  import: { points: 60, duration: 60 * MINUTE_SECONDS },
  /** The archive of an account, which may hold all of its rooms (0053). */
  archive: { points: 10, duration: 60 * MINUTE_SECONDS },
  /** The import of an account's archive (0053). */
  archiveImport: { points: 5, duration: 60 * MINUTE_SECONDS },
  /** Requests for a link to a new password. They count per address block (0059). */
  forgotPassword: { points: 10, duration: 60 * MINUTE_SECONDS },
  /** Mails with a link, of one kind to one account (0059). */
  accountMail: { points: 3, duration: 60 * MINUTE_SECONDS },
  /** Messages without a reply, which no quota limits (0041). They count per participant. */
  say: { points: 20, duration: MINUTE_SECONDS },
  /** Reports to the staff without an account, per address. Those of accounts are rows (0062). */
  guestReport: { points: 3, duration: 24 * 60 * MINUTE_SECONDS },
} as const;

export type RateRule = keyof typeof rateRules;

/** The values of the `RateLimit-*` response headers. */
export interface Allowance {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

interface Consumption {
  /** The points that the call costs, by default 1. */
  points?: number;
  /** Called with the remaining allowance, also before `rate_limited` is thrown. */
  report?: (left: Allowance) => void;
}

/**
 * Counts a call against the limit of an account or address.
 * @param key the account or address, from `countedAs`; for `say` the participant's id, for
 *   `accountMail` the kind of mail and the account
 * @throws HubError `rate_limited`
 */
export type RateLimits = (rule: RateRule, key: string, options?: Consumption) => Promise<void>;

/**
 * Creates rate limits that count calls in this process. They protect one server. The cost of
 * replies is limited by the daily quota instead.
 * @param onRefused counts the refused calls
 */
export function createRateLimits(onRefused: (rule: RateRule) => void = () => {}): RateLimits {
  const counters = {
    read: new RateLimiterMemory(rateRules.read),
    write: new RateLimiterMemory(rateRules.write),
    register: new RateLimiterMemory(rateRules.register),
    export: new RateLimiterMemory(rateRules.export),
    copy: new RateLimiterMemory(rateRules.copy),
    import: new RateLimiterMemory(rateRules.import),
    archive: new RateLimiterMemory(rateRules.archive),
    archiveImport: new RateLimiterMemory(rateRules.archiveImport),
    forgotPassword: new RateLimiterMemory(rateRules.forgotPassword),
    accountMail: new RateLimiterMemory(rateRules.accountMail),
    say: new RateLimiterMemory(rateRules.say),
    guestReport: new RateLimiterMemory(rateRules.guestReport),
  };
  return async (rule, key, { points = 1, report } = {}) => {
    try {
      const left = await counters[rule].consume(key, points);
      report?.(allowance(rule, left));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const nothing = allowance(rule, refused);
      report?.(nothing);
      onRefused(rule);
      throw new HubError("rate_limited", { retryAfter: nothing.resetSeconds });
    }
  };
}

function allowance(rule: RateRule, { remainingPoints, msBeforeNext }: RateLimiterRes): Allowance {
  const { points: limit, duration } = rateRules[rule];
  // rate-limiter-flexible computes `msBeforeNext` from the system clock. If the clock was set back,
  // the value could exceed the window.
  const resetSeconds = Math.min(duration, Math.max(1, Math.ceil(msBeforeNext / 1_000)));
  return { limit, remaining: remainingPoints, resetSeconds };
}
