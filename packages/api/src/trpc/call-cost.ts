import type { CallContext } from "../context.ts";
import type { RateRule } from "../rate-limits.ts";
import type { RestMeta } from "./procedure-meta.ts";

/**
 * Returns the rate limit that a call counts against. A subscription counts once, when it begins.
 */
export const rateRuleOf = (
  meta: Pick<RestMeta, "rateRule"> | undefined,
  type: "query" | "mutation" | "subscription",
): RateRule => meta?.rateRule ?? (type === "mutation" ? "write" : "read");

/** Rate limit points of a search, which takes about ten times as long as another read (0009). */
const SEARCH_POINTS = 10;

/**
 * Counts a call as a search, in addition to the one point that it has cost already.
 * @throws HubError `rate_limited`
 */
export const countAsSearch = async (ctx: CallContext): Promise<void> =>
  ctx.limit(ctx.caller, "read", SEARCH_POINTS - 1);
