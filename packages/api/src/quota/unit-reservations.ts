import { sql } from "kysely";
import { batchedRead } from "../db/batched-read.ts";
import type { Db } from "../db/entities.ts";
import { dayEnd } from "./utc-day.ts";

/** Units that one call asks for, with the limits as they are for its caller now. */
export interface WantedUnits {
  subject: string;
  daily_limit: number;
  /** A guest's address, which is counted as well. */
  shared_subject: string | null;
  shared_limit: number;
  units: number;
  premium_units: number;
  premium_limit: number;
  hold_seconds: number;
}

/** What the counters say with them taken. */
export interface TakenUnits {
  hold: number;
  used: number;
  premium_used: number;
  shared_used: number | null;
  next_day: string;
  seconds_left: number;
}

/** Takes units, or none: undefined where a counter has too few left. Can't overspend (decisions §5). */
export type UnitReservations = (wanted: WantedUnits) => Promise<TakenUnits | undefined>;

/** Counters stay locked until all of a call have been asked. */
const MAX_GATHERED = 100;

/**
 * The reservations of one turn go in one statement. When a thousand chats begin at once, each in a
 * statement of its own, the last waited too long for a connection (docs/decisions/0015).
 */
export function createUnitReservations(db: Db): UnitReservations {
  const gathered = batchedRead((wanted: WantedUnits[]) => reserveAll(db, wanted), MAX_GATHERED);
  // A guest alone: addresses would be locked out of the order of subjects.
  return async (wanted) =>
    wanted.shared_subject === null
      ? gathered(wanted)
      : (await reserveAll(db, [wanted])).get(wanted);
}

async function reserveAll(db: Db, all: WantedUnits[]): Promise<Map<WantedUnits, TakenUnits>> {
  const asked = JSON.stringify(all.map((wanted, nth) => ({ nth, ...wanted })));
  const { rows } = await sql<Omit<TakenUnits, "hold"> & { nth: number; hold: number | null }>`
    select * from reserve_units(${asked}::jsonb) as taken, (select ${dayEnd}) as today`.execute(db);
  const taken = new Map<WantedUnits, TakenUnits>();
  for (const { nth, hold, ...counted } of rows) {
    const wanted = all[nth];
    if (wanted && hold !== null) taken.set(wanted, { ...counted, hold });
  }
  return taken;
}
