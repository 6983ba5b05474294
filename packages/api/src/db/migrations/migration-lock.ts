import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Db } from "../database.ts";
import { isLockConflict } from "../database-errors.ts";

/** The key of the migration lock, an advisory lock of PostgreSQL. It is equal in all servers. */
export const MIGRATION_LOCK = 7_281_946;
const POLL_MS = 100;

/** Runs `work` while this server holds the migration lock. Other servers wait. */
export function withMigrationLock<T>(db: Db, work: () => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    while (!(await tryLock(connection))) await sleep(POLL_MS);
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock(${MIGRATION_LOCK}::bigint)`.execute(connection);
    }
  });
}

/**
 * Takes the lock if it is free. A statement that waits for the lock would be an open transaction.
 * The server that holds the lock may build an index, which waits for open transactions. Both would
 * wait until a timeout. PostgreSQL detects no deadlock here.
 */
async function tryLock(connection: Db): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_lock(${MIGRATION_LOCK}::bigint) as taken`.execute(connection);
  return rows[0]?.taken ?? false;
}

/**
 * The time in milliseconds that a statement of a migration waits for a lock. Calls that need the
 * same table wait behind it. PostgreSQL ends a deadlock by failing a statement that has waited for one
 * second. A migration gives up earlier, because only a migration is repeated: also a call that waits
 * behind two of its statements waits for less than a second.
 */
export const LOCK_TIMEOUT_MS = 400;
/** The pause between two attempts, in which those calls are served. */
const PAUSE_MS = 5_000;
const ATTEMPTS = 30;

/**
 * Repeats a migration that waited too long for a lock, for about four minutes. Other servers may
 * migrate or start between two attempts.
 * @param log receives a line for each failed attempt
 */
export async function retryLockConflicts(
  migrate: () => Promise<unknown>,
  log: (message: string) => void = () => {},
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await migrate();
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !isLockConflict(error)) throw error;
      const cause = error instanceof Error ? error.message : String(error);
      log(`Attempt ${attempt} of ${ATTEMPTS} to migrate found a table locked: ${cause}`);
      await sleep(PAUSE_MS);
    }
  }
}
