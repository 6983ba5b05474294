import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { CallContext } from "../context.ts";
import type { Db } from "../db/entities.ts";
import { HubError } from "../errors.ts";
import { quotaAccount, readQuota, utcDay } from "./quota.service.ts";

/** Units taken from the day before the provider is called; settled or given back exactly once. */
export interface QuotaHold {
  id: number;
  /** This reply is to be made by the premium model. */
  premium: boolean;
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
    const id = await tryReserve(ctx, wanted, 1);
    if (id !== null) return { id, premium: true };
  }
  const id = await tryReserve(ctx, wanted, 0);
  if (id !== null) return { id, premium: false };
  const { seconds_to_reset, ...quota } = await readQuota(ctx);
  throw new HubError("quota_exceeded", { retryAfter: seconds_to_reset, extra: { quota } });
}

async function tryReserve(
  ctx: CallContext,
  { units, holdSeconds }: Reservation,
  premiumUnits: number,
): Promise<number | null> {
  const { counters, limits } = quotaAccount(ctx);
  const [own, shared] = counters;
  if (!own) return null;
  return ctx.db
    .transaction()
    .execute(async (tx) => {
      const take = ({ subject, limit }: typeof own, premium: number) =>
        sql<{ day: string }>`
      insert into quota_days as today (subject, day, used, premium_used)
      select ${subject}, ${utcDay}, ${units}::int, ${premium}::int
      where ${units}::int <= ${limit}::int and ${premium}::int <= ${limits.premium_limit}::int
      on conflict (subject, day) do update
        set used = today.used + excluded.used, premium_used = today.premium_used + excluded.premium_used
        where today.used + excluded.used <= ${limit}::int
          and today.premium_used + excluded.premium_used <= ${limits.premium_limit}::int
      returning day`.execute(tx);
      const day = (await take(own, premiumUnits)).rows[0]?.day;
      if (day === undefined) return null;
      if (shared && (await take(shared, 0)).rows.length === 0) throw new SharedCounterFull();
      const hold = await tx
        .insertInto("quota_holds")
        .values({
          subject: own.subject,
          ip_subject: shared?.subject ?? null,
          day,
          units,
          premium_units: premiumUnits,
          expires_at: sql<string>`hub_now() + make_interval(secs => ${holdSeconds})`,
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      return hold.id;
    })
    .catch((error: unknown) => {
      if (error instanceof SharedCounterFull) return null;
      throw error;
    });
}

/** Rolls back what the guest's own counter had already given. */
class SharedCounterFull extends Error {}

/** The units are spent. In the transaction that stores the reply; false when they were swept meanwhile. */
export async function settleQuota(tx: Db, hold: QuotaHold): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("quota_holds")
    .where("id", "=", hold.id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Gives the units back to the day they were taken from; does nothing the second time. */
export const refundQuota = (db: Db, hold: QuotaHold): Promise<number> =>
  giveBack(db, sql<SqlBool>`id = ${hold.id}`);

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
 * Takes the holds away and their units off the counters. One plain update for each: joined to what
 * the same statement deletes, an update that has to wait for another finds nothing any more and
 * leaves the units taken. In the order of names, in which reserving locks them too (guest, then ip).
 */
async function giveBack(db: Db, which: RawBuilder<SqlBool>): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const holds = await tx.deleteFrom("quota_holds").where(which).returningAll().execute();
    const counters = holds.flatMap(({ subject, ip_subject, day, units, premium_units }) => [
      { subject, day, units, premium_units },
      ...(ip_subject ? [{ subject: ip_subject, day, units, premium_units: 0 }] : []),
    ]);
    counters.sort((a, b) => (a.subject < b.subject ? -1 : 1));
    for (const { subject, day, units, premium_units } of counters) {
      await tx
        .updateTable("quota_days")
        .set((eb) => ({
          used: eb("used", "-", units),
          premium_used: eb("premium_used", "-", premium_units),
        }))
        .where("subject", "=", subject)
        .where("day", "=", day)
        .execute();
    }
    return holds.length;
  });
}
