import { sql } from "kysely";
import type { Database } from "../db/database.ts";

interface StoredText {
  /** The table and column that contain the text, such as `accounts.username`. */
  at: string;
  text: string;
}

/** Reads every value of every table as text, so that a test can search the whole database. */
export async function everyText({ db }: Database): Promise<StoredText[]> {
  const columns = await sql<{ table: string; column: string; type: string }>`
    select c.table_name as table, c.column_name as column, c.data_type as type
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = current_schema() and t.table_type = 'BASE TABLE'
    order by 1, 2`.execute(db);
  const found: StoredText[] = [];
  for (const { table, column, type } of columns.rows) {
    const value = sql.ref(column);
    // A column of bytes may contain text. PostgreSQL's `escape` format keeps printable characters
    // readable.
    const text = type === "bytea" ? sql`encode(${value}, 'escape')` : sql`${value}::text`;
    const { rows } = await sql<{ text: string }>`
      select ${text} as text from ${sql.table(table)} where ${value} is not null`.execute(db);
    for (const row of rows) found.push({ at: `${table}.${column}`, text: row.text });
  }
  return found;
}
