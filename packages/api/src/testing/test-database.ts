import { randomBytes } from "node:crypto";
import { openAsBlob } from "node:fs";
import { cp } from "node:fs/promises";
import path from "node:path";
import { sql } from "kysely";
import { inject } from "vitest";
import type { Database } from "../db/database.ts";
import { readOrMakeSecrets } from "../operator/stored-secrets.ts";
import { connectDatabase } from "../tables/connect.ts";
import { createPostgresDatabase, openedAt } from "./own-database.ts";

export type DatabaseKind = Database["kind"];

/**
 * The kinds of database available in this run. Tests of drivers, migrations, SQL functions, locks,
 * models, searches and archives run on each of them.
 */
export const testDatabases = (): DatabaseKind[] =>
  inject("services").postgres ? ["pglite", "postgresql"] : ["pglite"];

/**
 * The kind of database on which the tests of a rule run: PostgreSQL if there is one, which takes
 * half the processor time. `pnpm test` without services runs the same tests on PGlite.
 */
export const ruleDatabase = (): DatabaseKind => testDatabases().at(-1) ?? "pglite";

/**
 * The worker's databases, one of each kind. They stay open, because opening one takes longer than
 * most tests.
 */
const opened = new Map<DatabaseKind, Promise<Database>>();

/**
 * Empties this test worker's database and resets its clock. The `close` of the returned database
 * does nothing, since other tests use the same database. If this fails, as when a failed test has
 * left a lock, the next call opens another database: one fault does not fail all later tests.
 */
export async function emptyDatabase(kind: DatabaseKind): Promise<Database> {
  const opening = opened.get(kind) ?? (kind === "pglite" ? openEmbedded() : openPostgres());
  opened.set(kind, opening);
  try {
    const database = await opening;
    await deleteAllRows(database);
    await moveDatabaseClock(database, "0");
    return { ...database, close: async () => undefined };
  } catch (error) {
    opened.delete(kind);
    throw error;
  }
}

/**
 * The tables with rows that no deletion of another row deletes. Those of `model_usage` and
 * `passkey_challenges` may belong to no account, and `package_files` keep their blobs.
 */
export const ROOT_TABLES =
  "accounts mod_cases audit_log invites deleted_accounts deleted_name_keys wallet_proofs domain_tags quota_days quota_holds soul_packages package_files package_blobs model_usage passkey_challenges soul_terms soul_word_changes".split(
    " ",
  );
/** Above this number, it is faster to truncate the tables than to delete their rows one by one. */
const MANY_ROWS = 5_000;

/** Deletes all rows and restarts the sequences. Truncating all tables takes 200 times as long. */
async function deleteAllRows({ db }: Database): Promise<void> {
  await sql`update vector_model set model = null, filled_to = 0`.execute(db);
  const { rows: used } = await sql<{ name: string; last_value: number }>`
    select sequencename as name, last_value from pg_sequences
    where last_value is not null and sequencename <> 'mikro_orm_migrations_id_seq'`.execute(db);
  if (used.some(({ last_value }) => last_value > MANY_ROWS)) {
    const tables = sql.join(ROOT_TABLES.map((table) => sql.table(table)));
    await sql`truncate ${tables} restart identity cascade`.execute(db);
    return;
  }
  const deletions = ROOT_TABLES.map((table) => `d_${table} as (delete from ${table})`);
  await sql.raw(`with ${deletions.join(", ")} select`).execute(db);
  // The deletion of souls has noted their words.
  await sql`delete from soul_word_changes`.execute(db);
  const restarts = used.map(({ name }) => `setval('${name}', 1, false)`);
  await sql.raw(`select ${restarts.join(", ")}`).execute(db);
}

/** Opens an embedded database in memory as a copy of the run's template. */
const openEmbedded = async (): Promise<Database> => {
  const dump = await openAsBlob(inject("embeddedTemplate").archive);
  const database = await connectDatabase({ dump });
  // Names of Redis channels contain the database's id. Copies of one template have the same id, so
  // each copy gets a new one.
  return { ...database, id: randomBytes(8).toString("hex") };
};

const openPostgres = async (): Promise<Database> =>
  connectDatabase(openedAt(await createPostgresDatabase()));

/**
 * Creates an empty embedded database in a directory. The database is a copy of the template, which
 * avoids a slow first start.
 */
export const copyEmbeddedTemplate = (directory: string): Promise<void> =>
  cp(inject("embeddedTemplate").directory, directory, { recursive: true });

/** Fills a DATA_DIR as the first start of a hub does, but faster. */
export async function fillDataDirectory(directory: string): Promise<void> {
  await readOrMakeSecrets(directory);
  await copyEmbeddedTemplate(path.join(directory, "database"));
}

/**
 * Makes a database look like one from before the first release. The hub refuses such a database
 * (0026).
 */
export const makeUnreleased = ({ db }: Database) =>
  sql`update mikro_orm_migrations set name = '0001-first-tables'`.execute(db);

/**
 * Makes a database look like one that a newer release migrated.
 * @param oldestApp the schema version of the oldest app that can run on it
 */
export const makeNewer = ({ db }: Pick<Database, "db">, version: number, oldestApp: number) =>
  sql`update hub_schema set version = ${version}, oldest_app = ${oldestApp}`.execute(db);

/**
 * Moves the database clock, the SQL function `hub_now()`.
 * @param by a PostgreSQL interval relative to the real time, such as `31 days`
 */
export const moveDatabaseClock = (database: Database, by: string): Promise<void> =>
  setDatabaseClock(database, `now() + interval '${by}'`);

/**
 * Stops the database clock at the first of the given times. Later, a test registers an account to
 * move the clock of a running server to the time under the name of that account.
 * @param times times in UTC, such as `2031-03-01 12:00:00`, in ascending order
 */
export function stopDatabaseClock(
  database: Database,
  times: Readonly<Record<string, string>>,
): Promise<void> {
  const rows = Object.entries(times).map(([name, at]) => `('${name}', timestamptz '${at}+00')`);
  return setDatabaseClock(
    database,
    `coalesce(max(at) filter (where exists (select from accounts where username = name)), min(at))
    from (values ${rows.join(", ")}) as times (name, at)`,
  );
}

async function setDatabaseClock({ db }: Database, time: string): Promise<void> {
  const head = "create or replace function hub_now() returns timestamptz language sql stable";
  await sql.raw(`${head} as $$select ${time}$$`).execute(db);
}
