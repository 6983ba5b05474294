import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { HubError } from "./errors.ts";

const MINUTE_SECONDS = 60;

/** Calls in a window of seconds (docs/decisions/0009): several times what a busy page or a careful poller needs. */
export const rateRules = {
  read: { points: 1_200, duration: MINUTE_SECONDS },
  write: { points: 240, duration: MINUTE_SECONDS },
  /** Each costs 19 MiB and a core, and makes a new name. */
  register: { points: 30, duration: 60 * MINUTE_SECONDS },
} as const;

export type RateRule = keyof typeof rateRules;

/** What RateLimit-* tell a caller. */
export interface Allowance {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/**
 * Counts one call of an account or address, and tells what is left, also of nothing.
 * @throws HubError `rate_limited`
 */
export type RateLimits = (
  rule: RateRule,
  who: string,
  tell?: (left: Allowance) => void,
) => Promise<void>;

/** Counted in this process: a limit protects a server, the daily quota protects the purse. */
export function createRateLimits(): RateLimits {
  const counters = {
    read: new RateLimiterMemory(rateRules.read),
    write: new RateLimiterMemory(rateRules.write),
    register: new RateLimiterMemory(rateRules.register),
  };
  return async (rule, who, tell) => {
    try {
      const left = await counters[rule].consume(who);
      tell?.(allowance(rule, left));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const nothing = allowance(rule, refused);
      tell?.(nothing);
      throw new HubError("rate_limited", { retryAfter: nothing.resetSeconds });
    }
  };
}

const allowance = (rule: RateRule, count: RateLimiterRes): Allowance => ({
  limit: rateRules[rule].points,
  remaining: count.remainingPoints,
  resetSeconds: Math.max(1, Math.ceil(count.msBeforeNext / 1_000)),
});
