import { sql } from "kysely";
import { quotaSubject } from "../caller/caller.ts";
import type { Tier } from "../caller/tier.schema.ts";
import type { CallContext } from "../context.ts";
import type { TierLimits } from "./tier-table.ts";

/** The current UTC day by the database clock. */
export const utcDay = sql<string>`(hub_now() at time zone 'utc')::date`;

/** The tier of a caller, its limits, and the subjects of its counters in `quota_days`. */
export interface QuotaAccount {
  tier: Tier;
  limits: TierLimits;
  subject: string;
  /** Key of the quota counter that all guests with one IP address share. Null for accounts. */
  shared_subject: string | null;
  shared_limit: number;
}

/** Returns the caller's tier, limits and counters, which may change between calls. */
export function quotaAccount(ctx: Pick<CallContext, "hub" | "caller" | "ipHash">): QuotaAccount {
  const { caller } = ctx;
  const { tiers } = ctx.hub.config;
  const subject = quotaSubject(caller);
  if (caller.kind === "guest") {
    return {
      tier: "free",
      limits: tiers.guest,
      subject,
      shared_subject: `ip:${ctx.ipHash()}`,
      shared_limit: tiers.guest.daily_limit_per_ip,
    };
  }
  const tier = "account" in caller ? caller.account.tier : "free";
  return { tier, limits: tiers[tier], subject, shared_subject: null, shared_limit: 0 };
}

/** Units that the counters of a caller have used on the current UTC day. */
export interface UsedToday {
  used: number;
  premium_used: number;
  /** Units used by all guests with the caller's IP address. Null for accounts. */
  shared_used: number | null;
  /** Date of the next UTC day, `YYYY-MM-DD`. */
  next_day: string;
  /** Seconds until the next UTC day, when the quota resets. */
  seconds_left: number;
}

export type Quota = ReturnType<typeof toQuota>;

/** Reads the quota of the caller in the shape of GET /api/chat-quota (specification §2). */
export async function readQuota(ctx: CallContext): Promise<Quota> {
  const account = quotaAccount(ctx);
  const usedBy = (column: "used" | "premium_used", subject: string | null) =>
    sql`coalesce((select ${sql.ref(column)} from quota_days
      where day = ${utcDay} and subject = ${subject}), 0)`;
  const { rows } = await sql<UsedToday>`
    select (${utcDay} + 1)::text as next_day,
      ceil(extract(epoch from (${utcDay} + 1) - (hub_now() at time zone 'utc')))::int as seconds_left,
      ${usedBy("used", account.subject)} as used,
      ${usedBy("premium_used", account.subject)} as premium_used,
      ${usedBy("used", account.shared_subject)} as shared_used`.execute(ctx.db);
  const [today] = rows;
  if (!today) throw new Error("The quota query returned no row.");
  return toQuota(account, today);
}

/**
 * Combines a caller's limits and counters. `daily_remaining` is the smallest remainder of all
 * counters.
 */
export function toQuota(account: QuotaAccount, today: UsedToday) {
  const { tier, limits } = account;
  const left = limits.daily_limit - today.used;
  const sharedLeft =
    account.shared_subject === null ? left : account.shared_limit - (today.shared_used ?? 0);
  const remaining = Math.max(0, Math.min(left, sharedLeft));
  const deepThinkCost = limits.deep_think_cost ?? 0;
  return {
    tier,
    daily_limit: limits.daily_limit,
    daily_remaining: remaining,
    daily_count: today.used,
    deep_think_available: deepThinkCost > 0 && remaining >= deepThinkCost,
    deep_think_cost: deepThinkCost,
    premium_remaining: Math.max(0, limits.premium_limit - today.premium_used),
    premium_limit: limits.premium_limit,
    allow_image: limits.allow_image,
    max_input_chars: limits.max_input_chars,
    resets_at: `${today.next_day} 00:00:00`,
    seconds_to_reset: today.seconds_left,
  };
}
