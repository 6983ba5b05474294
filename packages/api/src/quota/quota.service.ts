import { sql } from "kysely";
import { type Caller, quotaSubject } from "../accounts/caller.ts";
import type { Tier } from "../accounts/tier.schema.ts";
import type { CallContext } from "../context.ts";
import type { TierLimits } from "./tier-table.ts";
import { dayEnd, utcDay } from "./utc-day.ts";

/** Whose units, and how many there are: a guest is counted twice, per session and per hashed IP. */
export interface QuotaAccount {
  tier: Tier;
  limits: TierLimits;
  counters: Array<{ subject: string; limit: number }>;
}

/** The effective tier and limits of a caller, at this call. */
export function quotaAccount({ hub, caller }: Pick<CallContext, "hub" | "caller">): QuotaAccount {
  const { tiers } = hub.config;
  const subject = quotaSubject(caller);
  if (caller.kind === "guest") {
    const { daily_limit_per_ip, ...limits } = tiers.guest;
    return {
      tier: "free",
      limits,
      counters: [
        { subject, limit: limits.daily_limit },
        { subject: `ip:${caller.guest.ipHash}`, limit: daily_limit_per_ip },
      ],
    };
  }
  const tier = tierOf(caller);
  const limits = tiers[tier];
  return { tier, limits, counters: [{ subject, limit: limits.daily_limit }] };
}

const tierOf = (caller: Caller): Tier => ("account" in caller ? caller.account.tier : "free");

export type Quota = ReturnType<typeof toQuota>;

/** The quota in the shape of GET /api/chat-quota (specification §2). */
export async function readQuota(ctx: CallContext): Promise<Quota> {
  const account = quotaAccount(ctx);
  const { rows } = await sql<UsedToday>`
    select ${dayEnd}, subject, used, premium_used
    from (select 1) as once
    left join quota_days on day = ${utcDay}
      and subject = any(${account.counters.map(({ subject }) => subject)}::text[])`.execute(ctx.db);
  return toQuota(account, rows);
}

/** What one counter has used of the day, and when that ends. */
export interface UsedToday {
  subject: string | null;
  used: number;
  premium_used: number;
  next_day: string;
  seconds_left: number;
}

export function toQuota({ tier, limits, counters }: QuotaAccount, rows: readonly UsedToday[]) {
  const [today] = rows;
  if (!today) throw new Error("The database did not say what day it is.");
  const used = new Map(rows.map((row) => [row.subject, row]));
  const remaining = Math.min(
    ...counters.map(({ subject, limit }) => Math.max(0, limit - (used.get(subject)?.used ?? 0))),
  );
  const own = used.get(counters[0]?.subject ?? "");
  const deepThinkCost = limits.deep_think_cost ?? 0;
  return {
    tier,
    daily_limit: limits.daily_limit,
    daily_remaining: remaining,
    daily_count: own?.used ?? 0,
    deep_think_available: deepThinkCost > 0 && remaining >= deepThinkCost,
    deep_think_cost: deepThinkCost,
    premium_remaining: Math.max(0, limits.premium_limit - (own?.premium_used ?? 0)),
    premium_limit: limits.premium_limit,
    allow_image: limits.allow_image,
    max_input_chars: limits.max_input_chars,
    resets_at: `${today.next_day} 00:00:00`,
    seconds_to_reset: today.seconds_left,
  };
}
