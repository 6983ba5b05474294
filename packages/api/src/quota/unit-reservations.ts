import { createDataLoader } from "../db/data-loader.ts";
import type { Db } from "../db/database.ts";
import { callFunction } from "../db/sql-functions.ts";
import type { UsedToday } from "./quota.service.ts";

declare module "../context.ts" {
  interface Hub {
    reserveUnits: UnitReservations;
  }
}

/** One reservation of quota units, with the limits that apply to its caller now. */
export interface WantedUnits {
  subject: string;
  daily_limit: number;
  /** Key of the quota counter that all guests with one IP address share. Null for accounts. */
  shared_subject: string | null;
  shared_limit: number;
  units: number;
  premium_units: number;
  premium_limit: number;
  hold_seconds: number;
}

/** A successful reservation of quota units. The counters include its units. */
export interface ReservedUnits extends UsedToday {
  /** Id of the quota hold. */
  hold: number;
}

/**
 * Reserves quota units on all counters of a caller or on none, and never exceeds the limits
 * (decisions §5).
 * @returns undefined if a counter has too few units left
 */
export type UnitReservations = (wanted: WantedUnits) => Promise<ReservedUnits | undefined>;

/**
 * Maximum number of reservations in one statement. The statement locks the rows of all its
 * reservations.
 */
const MAX_BATCH = 100;

/**
 * Combines the quota reservations of one turn of the event loop, up to 100 per statement. With one
 * statement each, a thousand simultaneous chats would exhaust the connection pool (0015).
 */
export function createUnitReservations(db: Db): UnitReservations {
  const batched = createDataLoader((wanted: WantedUnits[]) => reserveEach(db, wanted), MAX_BATCH);
  // Guests' reservations are not batched. A batch would lock the counters of addresses in another
  // order than that of subjects, so deadlocks would be possible.
  return async (wanted) =>
    wanted.shared_subject === null
      ? batched(wanted)
      : (await reserveEach(db, [wanted])).get(wanted);
}

/**
 * Makes several reservations in one statement, each on all counters of its caller or on none.
 * @returns the successful ones, by the objects of `all`
 */
export async function reserveEach(
  db: Db,
  all: readonly WantedUnits[],
): Promise<Map<WantedUnits, ReservedUnits>> {
  const rowsJson = JSON.stringify(all.map((wanted, nth) => ({ nth, ...wanted })));
  const rows = await callFunction<
    Omit<ReservedUnits, "hold"> & { nth: number; hold: number | null }
  >(db, "reserve_units", { wanted: rowsJson });
  const reserved = new Map<WantedUnits, ReservedUnits>();
  for (const { nth, hold, ...counters } of rows) {
    const wanted = all[nth];
    if (wanted && hold !== null) reserved.set(wanted, { ...counters, hold });
  }
  return reserved;
}
