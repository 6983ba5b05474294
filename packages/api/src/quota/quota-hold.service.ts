import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { CallContext } from "../context.ts";
import type { Db } from "../db/entities.ts";
import { HubError } from "../errors.ts";
import { type Quota, quotaAccount, readQuota, toQuota, type UsedToday } from "./quota.service.ts";
import { utcDay } from "./utc-day.ts";

/** Units taken from the day before the provider is called; settled or given back exactly once. */
export interface QuotaHold {
  id: number;
  /** This reply is to be made by the premium model. */
  premium: boolean;
  /** What is left once these units are spent. */
  quota: Quota;
}

interface Reservation {
  units: number;
  /** Take a premium unit too, if one is left. */
  wantsPremium: boolean;
  /** Past this the hold counts as left behind by a crash. */
  holdSeconds: number;
}

/** @throws HubError `quota_exceeded`, with the quota and the seconds until it resets */
export async function reserveQuota(ctx: CallContext, wanted: Reservation): Promise<QuotaHold> {
  if (wanted.wantsPremium) {
    const premium = await tryReserve(ctx, wanted, 1);
    if (premium) return premium;
  }
  const hold = await tryReserve(ctx, wanted, 0);
  if (hold) return hold;
  const { seconds_to_reset, ...quota } = await readQuota(ctx);
  throw new HubError("quota_exceeded", { retryAfter: seconds_to_reset, extra: { quota } });
}

async function tryReserve(
  ctx: CallContext,
  { units, holdSeconds }: Reservation,
  premiumUnits: number,
): Promise<QuotaHold | null> {
  const account = quotaAccount(ctx);
  const [own, shared] = account.counters;
  if (!own) return null;
  const taken = await ctx.hub.reserveUnits({
    subject: own.subject,
    daily_limit: own.limit,
    shared_subject: shared?.subject ?? null,
    shared_limit: shared?.limit ?? 0,
    units,
    premium_units: premiumUnits,
    premium_limit: account.limits.premium_limit,
    hold_seconds: holdSeconds,
  });
  if (!taken) return null;
  const rows: UsedToday[] = [{ ...taken, subject: own.subject }];
  if (shared) rows.push({ ...taken, subject: shared.subject, used: taken.shared_used ?? 0 });
  return { id: taken.hold, premium: premiumUnits > 0, quota: toQuota(account, rows) };
}

/** Gives the units back to the day they were taken from; does nothing the second time. */
export const refundQuota = (db: Db, hold: Pick<QuotaHold, "id">): Promise<number> =>
  giveBack(db, sql<SqlBool>`id = ${hold.id}`);

/**
 * A hold of no units in place of one that was swept, as happens where the clock jumps or the machine
 * sleeps: what the provider has been paid for is still stored, and costs nothing.
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

/** Gives back what crashed servers left behind (decisions §5). Returns how many holds that were. */
export const sweepQuotaHolds = (db: Db): Promise<number> =>
  giveBack(db, sql<SqlBool>`expires_at < hub_now()`);

/** Days that nobody asks about any more: a hold may still settle a day late, and no later. */
const KEPT_DAYS = 7;

/** For the sweeper. */
export async function sweepQuotaDays(db: Db): Promise<void> {
  await db
    .deleteFrom("quota_days")
    .where("day", "<", sql<string>`${utcDay} - ${KEPT_DAYS}::int`)
    .execute();
}

/**
 * Takes the holds away and their units off the counters. The counters are locked first, in the order
 * of names, in which reserving locks them too (guest, then ip): nobody waits in a circle, and the
 * update waits for nobody. One that has to wait reads its join anew and would leave the units taken.
 */
async function giveBack(db: Db, which: RawBuilder<SqlBool>): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const holds = await tx.deleteFrom("quota_holds").where(which).returningAll().execute();
    if (holds.length === 0) return 0;
    const taken = JSON.stringify(
      holds.flatMap(({ subject, ip_subject, day, units, premium_units }) => [
        { subject, day, units, premium_units },
        ...(ip_subject ? [{ subject: ip_subject, day, units, premium_units: 0 }] : []),
      ]),
    );
    const given = sql`(
      select subject, day, sum(units)::int as units, sum(premium_units)::int as premium_units
      from jsonb_to_recordset(${taken}::jsonb)
        as hold (subject text, day date, units int, premium_units int)
      group by subject, day) as given`;
    await sql`
      select from quota_days where (subject, day) in (select subject, day from ${given})
      order by subject, day for update`.execute(tx);
    await sql`
      update quota_days as today
      set used = today.used - given.units, premium_used = today.premium_used - given.premium_units
      from ${given}
      where today.subject = given.subject and today.day = given.day`.execute(tx);
    return holds.length;
  });
}
