import { sql } from "kysely";
import type { Logger } from "pino";
import type { Db } from "../../../db/database.ts";
import { isConnectionError, isStorageFull } from "../../../db/database-errors.ts";
import type { Maintenance } from "../../../maintenance.ts";
import { numberVersions } from "../../version/version-number.ts";

/** Number of souls per query. */
const BATCH = 100;

interface VersionNumberingOptions {
  db: Db;
  maintenance: Maintenance;
  log: Logger;
  /** True if the numbering must stop, for example while the hub stops. */
  isPaused(): boolean;
}

/**
 * Creates the backfill of version numbers, which numbers the snapshots that servers of the first
 * release stored (0037). Each soul is a transaction of its own, so that no call waits long. The next
 * run continues where a run was broken off.
 * @returns a function that runs the backfill; it does nothing while a run is in progress
 */
export function createVersionNumbering(options: VersionNumberingOptions): () => Promise<void> {
  let isRunning = false;
  return async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      await numberAll(options);
    } finally {
      isRunning = false;
    }
  };
}

async function numberAll({
  db,
  maintenance,
  log,
  isPaused,
}: VersionNumberingOptions): Promise<void> {
  let last = 0;
  while (true) {
    const souls = await soulsAfter(db, last);
    for (const soulId of souls) {
      if (isPaused() || maintenance.isOn) return;
      last = soulId;
      try {
        await maintenance.write(() => numberVersions(db, soulId));
      } catch (error) {
        if (isStorageFull(error) || isConnectionError(error)) throw error;
        // The next run tries this soul again. The souls after it do not wait for it.
        log.error({ err: error, soulId }, "the versions of a soul could not be numbered");
      }
    }
    if (souls.length < BATCH) return;
  }
}

/** Finds the next souls with snapshots without a number, in the index of these snapshots. */
async function soulsAfter(db: Db, last: number): Promise<number[]> {
  const { rows } = await sql<{ soul_id: number }>`
    select distinct soul_id from soul_versions
    where number is null and soul_id > ${last} order by soul_id limit ${BATCH}`.execute(db);
  return rows.map(({ soul_id }) => soul_id);
}
