import { sql } from "kysely";
import type { Db } from "../database.ts";

/**
 * Names the tables of which a tenth changed since their last analysis, as PostgreSQL's autovacuum
 * counts it. A killed hub loses these counts, so a table without a known analysis is due as well.
 * Without statistics a search takes ten times as long (0010).
 */
export async function tablesToAnalyze(db: Db): Promise<string[]> {
  // PostgreSQL keeps a session's counts of changed rows in memory until the session flushes them.
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ name: string }>`
    select pg_class.relname as name
    from pg_stat_user_tables join pg_class on pg_class.oid = relid
    where n_mod_since_analyze > 50 + 0.1 * greatest(reltuples, 0)
      or (last_analyze is null and pg_relation_size(relid) > 0)
    order by name`.execute(db);
  return rows.map(({ name }) => name);
}
