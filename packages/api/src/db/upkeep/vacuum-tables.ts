import { sql } from "kysely";
import type { Db } from "../database.ts";

/**
 * Names the table with the most dead rows of those that are due for a vacuum, or null. While the
 * hub is idle, a fifth of dead rows is enough. While calls come, a table waits until more of its
 * rows are dead than alive, or for a day. A vacuum is short if it comes early.
 */
export async function tableToVacuum(
  db: Db,
  { isIdle, startedAt }: { isIdle: boolean; startedAt: Date },
): Promise<string | null> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_stat_user_tables
    where n_dead_tup > 1000 + n_live_tup
      or (n_dead_tup > 50 + 0.2 * (n_live_tup + n_dead_tup)
        and (${isIdle}
          or coalesce(last_vacuum, ${startedAt.toISOString()}::timestamptz) < now() - interval '1 day'))
    order by n_dead_tup desc
    limit 1`.execute(db);
  return rows[0]?.name ?? null;
}
