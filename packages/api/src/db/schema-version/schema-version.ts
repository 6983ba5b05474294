import { sql } from "kysely";
import type { Db } from "../database.ts";

interface SchemaVersion {
  /** The number of migrations that ran. */
  version: number;
  /** The schema version of the oldest app that can run on this schema. */
  oldest_app: number;
}

export async function readSchemaVersion(db: Db): Promise<SchemaVersion> {
  const { rows } = await sql<SchemaVersion>`select version, oldest_app from hub_schema`.execute(db);
  const [only] = rows;
  if (!only) throw new Error("The table hub_schema has no row.");
  return only;
}

/** Records a migrated schema. An app of an older release changes nothing. */
export async function raiseSchemaVersion(db: Db, { version, oldest_app }: SchemaVersion) {
  await sql`
    update hub_schema set
      version = greatest(version, ${version}::int),
      oldest_app = greatest(oldest_app, ${oldest_app}::int)
    where version < ${version}::int or oldest_app < ${oldest_app}::int`.execute(db);
}
