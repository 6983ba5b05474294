import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "./database.ts";

const DIRECTORY = path.join(import.meta.dirname, "functions");

/** The files of the SQL functions by name, in the order of their names. */
const files: ReadonlyMap<string, string> = new Map(
  readdirSync(DIRECTORY, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".sql"))
    .map((file) => [path.basename(file, ".sql"), path.join(DIRECTORY, file)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

/** Returns the statement of an SQL function, for a migration whose tables need the function. */
export function readSqlFunction(name: string): string {
  const file = files.get(name);
  if (!file) throw new Error(`There is no SQL function ${name}.`);
  return readFileSync(file, "utf8");
}

/**
 * Runs each file of `functions/` whose hash differs from the one recorded in `sql_functions`.
 * During an upgrade, servers of the previous release still call these functions. If they could not
 * use a changed function, it needs a new name (0026).
 */
export async function updateSqlFunctions(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string; hash: string }>`
    select name, hash from sql_functions`.execute(db);
  const recorded = new Map(rows.map(({ name, hash }) => [name, hash]));
  await db.transaction().execute(async (tx) => {
    for (const name of files.keys()) {
      const statement = readSqlFunction(name);
      const hash = createHash("sha256").update(statement).digest("hex");
      if (recorded.get(name) === hash) continue;
      await sql.raw(statement).execute(tx);
      await sql`insert into sql_functions (name, hash) values (${name}, ${hash})
        on conflict (name) do update set hash = excluded.hash`.execute(tx);
    }
  });
}

/**
 * Calls an SQL function of `functions/` with named arguments. Names are never user input.
 * @param column a further column, which is computed after the call
 * @returns its rows; one row for a function with `out` parameters
 */
export async function callFunction<Row>(
  db: Db,
  name: string,
  args: Record<string, unknown>,
  column?: RawBuilder<unknown>,
): Promise<Row[]> {
  const named = Object.entries(args).map(
    ([key, value]) => sql`${sql.raw(key)} => ${value ?? null}`,
  );
  const columns = column ? sql`*, ${column}` : sql`*`;
  const call = sql<Row>`select ${columns} from ${sql.raw(name)}(${sql.join(named)})`;
  return (await call.execute(db)).rows;
}
