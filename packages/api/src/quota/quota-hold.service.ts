import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { CallContext } from "../context.ts";
import type { Db } from "../db/database.ts";
import { HubError } from "../errors.ts";
import { inSpan } from "../tracing/call-scope.ts";
import {
  type Quota,
  type QuotaAccount,
  quotaAccount,
  readQuota,
  toQuota,
  utcDay,
} from "./quota.service.ts";
import { type ReservedUnits, reserveEach, type WantedUnits } from "./unit-reservations.ts";

/**
 * Quota units reserved before the model is called. A hold is settled or refunded exactly once
 * (0023).
 */
export interface QuotaHold {
  id: number;
  /** True if the hold includes a premium unit, so that the premium model writes the reply. */
  premium: boolean;
  /** The caller's quota after the units of this hold are spent. */
  quota: Quota;
}

interface Reservation {
  units: number;
  /** True to reserve a premium unit too, if one remains. */
  wantsPremium: boolean;
  /** Lifetime of the quota hold in seconds, after which the sweeper refunds the hold. */
  holdSeconds: number;
}

/**
 * Reserves quota units on all counters of the caller, or on none.
 * @throws HubError `quota_exceeded` with the quota and, as `retryAfter`, the seconds until the
 *   quota resets
 */
export const reserveQuota = (ctx: CallContext, wanted: Reservation): Promise<QuotaHold> =>
  inSpan("reserve", async () => {
    const premium = wanted.wantsPremium ? await tryReserve(ctx, wanted, 1) : null;
    const hold = premium ?? (await tryReserve(ctx, wanted, 0));
    if (!hold) throw await quotaExceeded(ctx);
    return hold;
  });

/**
 * Reserves the units of several replies, one hold for each, or none of them (0041).
 * @throws HubError `quota_exceeded`, as {@link reserveQuota}
 */
export async function reserveQuotas(
  ctx: CallContext,
  wanted: Reservation,
  replies: number,
): Promise<QuotaHold[]> {
  if (replies === 1) return [await reserveQuota(ctx, wanted)];
  const account = quotaAccount(ctx);
  const tooFew = new HubError("quota_exceeded");
  const reserveAll = () =>
    ctx.db.transaction().execute(async (tx) => {
      const reserve = async (count: number, premiumUnits: number): Promise<QuotaHold[]> => {
        const all = Array.from({ length: count }, () => unitsOf(account, wanted, premiumUnits));
        const taken = await reserveEach(tx, all);
        return [...taken.values()].map((units) => toHold(account, units, premiumUnits));
      };
      const premium = wanted.wantsPremium ? await reserve(replies, 1) : [];
      const missing = replies - premium.length;
      const plain = missing > 0 ? await reserve(missing, 0) : [];
      // The rollback returns the units of the others.
      if (plain.length < missing) throw tooFew;
      return [...premium, ...plain];
    });
  return inSpan("reserve", () =>
    reserveAll().catch(async (error: unknown) => {
      throw error === tooFew ? await quotaExceeded(ctx) : error;
    }),
  );
}

async function quotaExceeded(ctx: CallContext): Promise<HubError> {
  const { seconds_to_reset, ...quota } = await readQuota(ctx);
  return new HubError("quota_exceeded", { retryAfter: seconds_to_reset, extra: { quota } });
}

async function tryReserve(
  ctx: CallContext,
  wanted: Reservation,
  premiumUnits: number,
): Promise<QuotaHold | null> {
  const account = quotaAccount(ctx);
  const taken = await ctx.hub.reserveUnits(unitsOf(account, wanted, premiumUnits));
  return taken ? toHold(account, taken, premiumUnits) : null;
}

const unitsOf = (
  { subject, shared_subject, shared_limit, limits }: QuotaAccount,
  { units, holdSeconds }: Reservation,
  premium_units: number,
): WantedUnits => ({
  subject,
  daily_limit: limits.daily_limit,
  shared_subject,
  shared_limit,
  units,
  premium_units,
  premium_limit: limits.premium_limit,
  hold_seconds: holdSeconds,
});

const toHold = (account: QuotaAccount, taken: ReservedUnits, premiumUnits: number): QuotaHold => ({
  id: taken.hold,
  premium: premiumUnits > 0,
  quota: toQuota(account, taken),
});

/**
 * Refunds a quota hold's units to the day on which they were reserved. A second refund of the same
 * hold has no effect.
 */
export const refundQuota = (db: Db, hold: Pick<QuotaHold, "id">): Promise<number> =>
  refund(db, sql<SqlBool>`id = ${hold.id}`);

/**
 * Refunds the quota units of a reply that failed. If the refund fails, the sweeper repeats it: the
 * caller receives the reply's error, not the refund's.
 */
export const giveBack = ({ db, log }: Pick<CallContext, "db" | "log">, hold: QuotaHold) =>
  refundQuota(db, hold).catch((cause: unknown) =>
    log.error({ err: cause }, "quota refund failed; the sweeper will retry it"),
  );

/**
 * Settles a quota hold: its units stay spent. Of a reply that is stored, the statement that stores
 * it settles the hold (0023).
 */
export async function settleQuota(db: Db, hold: Pick<QuotaHold, "id">): Promise<void> {
  await db.deleteFrom("quota_holds").where("id", "=", hold.id).execute();
}

/**
 * Inserts a quota hold of zero units in place of one that the sweeper removed too early. That
 * happens if the clock jumps or the machine sleeps. The reply is still stored, at no cost for the
 * caller.
 */
export async function replaceSweptHold(
  db: Db,
  { id }: Pick<QuotaHold, "id">,
  holdSeconds: number,
): Promise<void> {
  await db
    .insertInto("quota_holds")
    .values({
      id,
      subject: "swept",
      day: utcDay,
      units: 0,
      premium_units: 0,
      expires_at: sql<string>`hub_now() + make_interval(secs => ${holdSeconds}::int)`,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Refunds expired quota holds, which crashed servers left (decisions §5). The sweeper calls this.
 * @returns the number of refunded holds
 */
export const sweepQuotaHolds = (db: Db): Promise<number> =>
  refund(db, sql<SqlBool>`expires_at < hub_now()`);

/**
 * Deletes quota holds and subtracts their units from the counters. The counters are locked first,
 * in the same order as in `reserve_units`, which prevents deadlocks. Without these locks, an update
 * that waits for another transaction could skip a counter.
 * @returns the number of deleted holds
 */
async function refund(db: Db, which: RawBuilder<SqlBool>): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const holds = await tx
      .deleteFrom("quota_holds")
      .where(which)
      .returning(["subject", "ip_subject", "day", "units", "premium_units"])
      .execute();
    if (holds.length === 0) return 0;
    const refunds = JSON.stringify(
      holds.flatMap(({ subject, ip_subject, day, units, premium_units }) => [
        { subject, day, units, premium_units },
        ...(ip_subject ? [{ subject: ip_subject, day, units, premium_units: 0 }] : []),
      ]),
    );
    const refunded = sql`(
      select subject, day, sum(units)::int as units, sum(premium_units)::int as premium_units
      from jsonb_to_recordset(${refunds}::jsonb)
        as hold (subject text, day date, units int, premium_units int)
      group by subject, day) as refunded`;
    await sql`
      select from quota_days where (subject, day) in (select subject, day from ${refunded})
      order by subject, day for update`.execute(tx);
    await sql`
      update quota_days as today
      set used = today.used - refunded.units,
        premium_used = today.premium_used - refunded.premium_units
      from ${refunded}
      where today.subject = refunded.subject and today.day = refunded.day`.execute(tx);
    return holds.length;
  });
}
