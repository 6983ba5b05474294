import { fromNow, timeOfDay } from "../../clock.ts";
import { exactCount } from "../../counts.ts";
import type { Failure } from "../../failures.ts";
import type { Quota } from "../../queries.ts";

/** The end of the quota day in local time: "midnight (in 6 hours)" or "2:00 AM (in 6 hours)". */
export const resetTime = ({ resets_at }: Quota): string =>
  `${timeOfDay(resets_at)} (${fromNow(resets_at)})`;

export const messageCount = (count: number): string =>
  `${exactCount(count)} ${count === 1 ? "message" : "messages"}`;

/** The number of messages that one message uses. */
export const unitsOf = ({ deep_think_cost }: Quota, deepThink: boolean): number =>
  deepThink ? deep_think_cost : 1;

interface QuotaFailureOptions {
  left: Quota;
  isGuest: boolean;
  deepThink: boolean;
}

/**
 * Describes a `quota_exceeded` failure by the caller's current quota. The quota may have been reset
 * since the failure.
 */
export function quotaFailure(failure: Failure, options: QuotaFailureOptions): Failure {
  const { left, isGuest, deepThink } = options;
  const { daily_count, daily_limit, daily_remaining, deep_think_cost } = left;
  const more = isGuest ? `, or sign up free for ${left.account_daily_limit} a day` : "";
  const reset = `New ones at ${resetTime(left)}${more}.`;
  const words = (title: string, hint: string) => ({ ...failure, title, hint, resetsAt: undefined });
  if (deepThink && daily_remaining > 0 && daily_remaining < deep_think_cost) {
    const rest = `You have ${messageCount(daily_remaining)} left today.`;
    return words(`Deep think uses ${deep_think_cost} messages`, `${rest} ${reset}`);
  }
  if (daily_remaining > 0) {
    const hint = `You have ${messageCount(daily_remaining)} left today.`;
    return words("This message was not sent", hint);
  }
  // Guests at one IP address share a second limit (decisions §5).
  const isShared = daily_count < daily_limit;
  return words(
    isShared
      ? "Guests on your network have used today's messages"
      : `You have used today's ${messageCount(daily_limit)}`,
    reset,
  );
}
