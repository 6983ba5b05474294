import { sql } from "kysely";
import pg from "pg";
import { inject } from "vitest";
import { connectDatabase, type Database } from "../db/connect.ts";

export type DatabaseKind = Database["kind"];

/** The databases that this run has: every test of the tables runs on each. */
export const testDatabases = (): DatabaseKind[] =>
  inject("services").postgres ? ["pglite", "postgresql"] : ["pglite"];

/** One of each per worker, since starting takes longer than most tests; emptied for each hub. */
const opened = new Map<DatabaseKind, Promise<Database>>();

/** An empty database at the present time. It outlives the hub: its `close` does nothing. */
export async function emptyDatabase(kind: DatabaseKind): Promise<Database> {
  let opening = opened.get(kind);
  if (!opening) {
    opening = kind === "pglite" ? connectDatabase() : openSchema();
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

/** Each worker has a schema of its own in the database that TEST_DATABASE_URL names. */
async function openSchema(): Promise<Database> {
  const url = inject("services").postgres ?? "";
  const schema = `worker_${process.env.VITEST_POOL_ID ?? "0"}`;
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`drop schema if exists ${schema} cascade; create schema ${schema}`);
  await client.end();
  return connectDatabase({ url, schema });
}

/** @param by a PostgreSQL interval, such as `31 days` */
export async function moveDatabaseClock({ db }: Database, by: string): Promise<void> {
  await sql
    .raw(
      `create or replace function hub_now() returns timestamptz language sql stable as 'select now() + interval ''${by}'''`,
    )
    .execute(db);
}
