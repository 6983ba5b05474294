import { sql } from "kysely";
import { expect } from "vitest";
import { eventually } from "../testing/eventually.ts";
import type { Db } from "./database.ts";

/**
 * Takes a lock, starts a call, makes a change once the call waits for the lock, and commits. For
 * PostgreSQL alone: the embedded database runs one transaction at a time.
 */
export async function meanwhile<Result>(
  db: Db,
  call: () => Promise<Result>,
  { lock, change }: { lock: (tx: Db) => unknown; change?: (tx: Db) => unknown },
): Promise<Result> {
  const pending = await db.transaction().execute(async (tx) => {
    await lock(tx);
    const answer = call();
    await eventually(async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
      expect(rows).not.toHaveLength(0);
    });
    await change?.(tx);
    return { answer };
  });
  return pending.answer;
}
