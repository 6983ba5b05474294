import { sql } from "kysely";
import type { Db } from "./database.ts";

/**
 * Updates the query planner's statistics of every table of which a tenth changed since its last
 * analysis. PostgreSQL's autovacuum does the same with the same thresholds; the embedded database
 * has no autovacuum. Without statistics a search takes ten times as long (0010).
 * @returns the names of the analyzed tables
 */
export async function analyzeChangedTables(db: Db): Promise<string[]> {
  // PostgreSQL keeps a session's counts of changed rows in memory until the session flushes them.
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ name: string }>`
    select pg_class.relname as name
    from pg_stat_user_tables join pg_class on pg_class.oid = relid
    where n_mod_since_analyze > 50 + 0.1 * greatest(reltuples, 0)
      or (reltuples < 0 and pg_relation_size(relid) > 0)
    order by name`.execute(db);
  for (const { name } of rows) await sql`analyze ${sql.table(name)}`.execute(db);
  return rows.map(({ name }) => name);
}
