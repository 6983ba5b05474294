import type { MikroORM } from "@mikro-orm/sql";
import { sql } from "kysely";
import type { Db } from "./database.ts";
import { InitialSchema } from "./migrations/0001-initial-schema.ts";
import { updateSqlFunctions } from "./sql-functions.ts";

/** The migrations, in the order in which they run. Their number is the schema version of the app. */
export const migrations = [InitialSchema];

/**
 * Brings tables and SQL functions up to date. A database with a newer schema is left alone, since
 * servers of two releases share it during an upgrade.
 * @throws Error for a database from before the first release, with code `UNRELEASED_SCHEMA`
 */
export async function migrate(orm: MikroORM, db: Db): Promise<void> {
  const executed = await orm.migrator.getExecuted();
  const [first] = executed;
  if (first && first.name !== InitialSchema.migrationName) {
    throw Object.assign(
      new Error(
        "This database is from a version of Soul Hub before the first release and cannot be upgraded (0026).",
      ),
      { code: "UNRELEASED_SCHEMA" },
    );
  }
  await orm.migrator.up();
  if (executed.length <= migrations.length) await updateSqlFunctions(db);
}

/** The key of the migration lock, an advisory lock of PostgreSQL. It is equal in all servers. */
export const MIGRATION_LOCK = 7_281_946;

/** Runs `work` while this server holds the migration lock. Other servers wait. */
export function withMigrationLock<T>(db: Db, work: () => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK}::bigint)`.execute(connection);
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock(${MIGRATION_LOCK}::bigint)`.execute(connection);
    }
  });
}
