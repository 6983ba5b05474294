import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { callForRow } from "../../db/sql-functions.ts";

// Snapshots of the first release have no number until the backfill reaches them (0037). Their
// numbers follow from the order of their ids, so that every read answers as it does afterwards.

/** The number of a soul's present state, for a query of `souls`. */
export const presentNumber: RawBuilder<number> = sql<number>`souls.version + (
  select count(*)::int from soul_versions as unnumbered
  where unnumbered.soul_id = souls.id and unnumbered.number is null)`;

/** The number of a snapshot, for a query of `soul_versions`. */
export const snapshotNumber: RawBuilder<number> = sql<number>`coalesce(soul_versions.number, (
  select souls.version - 1 + (
    select count(*)::int from soul_versions as unnumbered
    where unnumbered.soul_id = souls.id and unnumbered.number is null
      and unnumbered.id <= soul_versions.id)
  from souls where souls.id = soul_versions.soul_id))`;

/** The condition for the snapshot with a number, which may exceed every number of the soul. */
export const hasNumber = (number: number): RawBuilder<SqlBool> => sql<SqlBool>`(
  soul_versions.number = ${number}::bigint
  or (soul_versions.number is null and ${snapshotNumber} = ${number}::bigint))`;

/** The condition for the snapshots before the state with a number. */
export const isBefore = (number: number): RawBuilder<SqlBool> =>
  sql<SqlBool>`${snapshotNumber} < ${number}`;

/**
 * Numbers the snapshots of a soul that have no number, under the soul's lock.
 * @returns the number of the present state
 */
export async function numberVersions(db: Db, soulId: number): Promise<number> {
  const row = await callForRow<{ number_versions: number | null }>(db, "number_versions", {
    of_soul: soulId,
  });
  return row.number_versions ?? 0;
}
