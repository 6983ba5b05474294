import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "./database.ts";

/**
 * Returns the identity of a database, 16 hex digits. All servers of a hub share it, and names of
 * Redis keys and channels begin with it (0016).
 */
export async function readIdentity(db: Db): Promise<string> {
  const { rows } = await sql<{ id: string }>`select id from hub_identity`.execute(db);
  return rows[0]?.id ?? "";
}

/** Gives the database a new identity. No server may run on it. */
async function renewIdentity(db: Db): Promise<void> {
  const id = randomBytes(8).toString("hex");
  await sql`update hub_identity set id = ${id}, database_oid = ${thisDatabase}`.execute(db);
}

/**
 * Renews the identity if the tables are a copy from another database, as pg_dump and `create
 * database … template` make it. PostgreSQL gives each database its own object id.
 */
export async function renewCopiedIdentity(db: Db): Promise<void> {
  const { rows } = await sql`
    select from hub_identity where database_oid <> ${thisDatabase}`.execute(db);
  if (rows.length > 0) await renewIdentity(db);
}

const thisDatabase = sql`(select oid from pg_database where datname = current_database())`;
