import { sql } from "kysely";
import { connectDatabase } from "../tables/connect.ts";

/**
 * Returns the bytes of each table of an embedded database that no hub uses, with its indexes and
 * long values.
 */
export async function tableSizes(directory: string): Promise<Map<string, number>> {
  const { db, close } = await connectDatabase({ directory, sync: false });
  const { rows } = await sql<{ name: string; bytes: number }>`
    select relname::text as name, pg_total_relation_size(relid) as bytes
    from pg_stat_user_tables`.execute(db);
  await close();
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}
