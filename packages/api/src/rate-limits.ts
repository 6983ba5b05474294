import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { HubError } from "./errors.ts";

const MINUTE_SECONDS = 60;

/** Calls in a window of seconds (docs/decisions/0009): several times what a busy page or a careful poller needs. */
const rules = {
  read: { points: 1_200, duration: MINUTE_SECONDS },
  write: { points: 240, duration: MINUTE_SECONDS },
  /** Each costs 19 MiB and a core, and makes a new name. */
  register: { points: 30, duration: 60 * MINUTE_SECONDS },
} as const;

export type RateRule = keyof typeof rules;

/** What RateLimit-* tell a caller. */
export interface Allowance {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

/**
 * Counts one call of an account or address.
 * @returns null where limits are off
 * @throws HubError `rate_limited`
 */
export type RateLimits = (rule: RateRule, who: string) => Promise<Allowance | null>;

/** Counted in this process: a limit protects a server, the daily quota protects the purse. */
export function createRateLimits(isOn: boolean): RateLimits {
  if (!isOn) return async () => null;
  const counters = {
    read: new RateLimiterMemory(rules.read),
    write: new RateLimiterMemory(rules.write),
    register: new RateLimiterMemory(rules.register),
  };
  return async (rule, who) => {
    try {
      return allowance(rule, await counters[rule].consume(who));
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw new HubError("rate_limited", { retryAfter: allowance(rule, refused).resetSeconds });
    }
  };
}

const allowance = (rule: RateRule, count: RateLimiterRes): Allowance => ({
  limit: rules[rule].points,
  remaining: count.remainingPoints,
  resetSeconds: Math.max(1, Math.ceil(count.msBeforeNext / 1_000)),
});
