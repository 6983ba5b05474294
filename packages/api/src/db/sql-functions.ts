import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { CompiledQuery, sql } from "kysely";
import { type FailureCode, HubError } from "../errors.ts";
import type { Db } from "./database.ts";
import { markPrepared } from "./drivers/prepared-statements.ts";

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
 * Calls an SQL function of `functions/`. Each connection prepares the call once (0015).
 * @param args values by the names of the parameters. Names are never user input
 * @returns its rows; one row for a function with `out` parameters
 */
export async function callFunction<Row>(
  db: Db,
  name: string,
  args: Record<string, unknown>,
): Promise<Row[]> {
  const text = callOf(name, Object.keys(args));
  const values = Object.values(args).map((value) => value ?? null);
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, values) as CompiledQuery<Row>)).rows;
}

/** Calls an SQL function that returns one row, as {@link callFunction} does. */
export async function callForRow<Row>(
  db: Db,
  name: string,
  args: Record<string, unknown>,
): Promise<Row> {
  const [row] = await callFunction<Row>(db, name, args);
  if (!row) throw new Error(`${name} returned no row.`);
  return row;
}

/**
 * Calls an SQL function whose `failure` is the code of a refusal, or null.
 * @throws HubError the failure
 */
export async function callOrRefuse<Row>(
  db: Db,
  name: string,
  args: Record<string, unknown>,
): Promise<Row> {
  const row = await callForRow<Row & { failure: FailureCode | null }>(db, name, args);
  if (row.failure) throw new HubError(row.failure);
  return row;
}

/** The text of each call, by the names in it. Building it takes longer than the rest of a call. */
const calls = new Map<string, string>();

function callOf(name: string, args: string[]): string {
  const key = `${name} ${args.join()}`;
  let text = calls.get(key);
  if (!text) {
    const named = args.map((arg, nth) => `${arg} => $${nth + 1}`);
    text = markPrepared(`select * from ${name}(${named.join(", ")})`);
    calls.set(key, text);
  }
  return text;
}
