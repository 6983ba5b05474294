import { randomBytes } from "node:crypto";
import { openAsBlob } from "node:fs";
import { cp } from "node:fs/promises";
import { sql } from "kysely";
import { inject } from "vitest";
import { connectDatabase } from "../db/connect.ts";
import type { Database } from "../db/database.ts";
import { createPostgresDatabase, openedAt } from "./own-database.ts";

export type DatabaseKind = Database["kind"];

/** The kinds of database available in this run. Tests that depend on SQL run on each of them. */
export const testDatabases = (): DatabaseKind[] =>
  inject("services").postgres ? ["pglite", "postgresql"] : ["pglite"];

/**
 * The worker's databases, one of each kind. They stay open, because opening one takes longer than
 * most tests.
 */
const opened = new Map<DatabaseKind, Promise<Database>>();

/**
 * Empties this test worker's database and resets its clock. The `close` of the returned database
 * does nothing, since other tests use the same database.
 */
export async function emptyDatabase(kind: DatabaseKind): Promise<Database> {
  let opening = opened.get(kind);
  if (!opening) {
    opening = kind === "pglite" ? openEmbedded() : openPostgres();
    opened.set(kind, opening);
  }
  const database = await opening;
  const { db } = database;
  await sql`truncate accounts, wallet_proofs, domain_tags, quota_days, quota_holds restart identity cascade`.execute(
    db,
  );
  await moveDatabaseClock(database, "0");
  return { ...database, close: async () => undefined };
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
export async function moveDatabaseClock({ db }: Database, by: string): Promise<void> {
  await sql
    .raw(
      `create or replace function hub_now() returns timestamptz language sql stable as 'select now() + interval ''${by}'''`,
    )
    .execute(db);
}
