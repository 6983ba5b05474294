import type { Db } from "./database.ts";
import { isDeadlock } from "./database-errors.ts";

const ATTEMPTS = 5;

/**
 * Runs a transaction, and runs it again if PostgreSQL ends it to resolve a deadlock. For
 * transactions that lock the files of a soul, whose order depends on an archive. The work must
 * change nothing but the database.
 */
export async function transact<Result>(db: Db, work: (tx: Db) => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt === ATTEMPTS || !isDeadlock(error)) throw error;
    }
  }
}
