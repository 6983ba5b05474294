import { MikroORM as PgliteORM } from "@mikro-orm/pglite";
import { MikroORM as PostgresORM } from "@mikro-orm/postgresql";
import { writeAudit } from "../audit/write-audit.ts";
import type { DatabaseOptions, Db } from "../db/database.ts";
import { openPglite } from "../db/drivers/pglite.ts";
import { POSTGRES_SETTINGS, startupOptions } from "../db/drivers/postgres-settings.ts";
import { migrate } from "../db/migrate.ts";
import { ormOptions } from "../tables/connect.ts";
import type { Manifest } from "./archive-format.ts";
import type { RestoreTarget } from "./fill-from-archive.ts";
import { pgliteCopy } from "./pglite-copy.ts";
import { postgresCopy } from "./postgres-copy.ts";

type Orm = PgliteORM | PostgresORM;

const dbOf = (orm: Orm) => orm.em.getKysely() as unknown as Db;

const migrationsOf = (orm: Orm) => ({
  migrateTo: async (schema: number) => {
    const pending = await orm.migrator.getPending();
    const to = pending[schema - 1]?.name;
    if (to) await orm.migrator.up({ to });
  },
  migrateToNewest: () => migrate(orm, dbOf(orm)),
  recordRestore: ({ app, created_at }: Manifest) =>
    writeAudit(dbOf(orm), {
      actor: "operator",
      action: "restore",
      target: "hub",
      detail: { app, backup_of: created_at },
    }),
  dropWaitingMails: async () => {
    await dbOf(orm).deleteFrom("waiting_mails").execute();
  },
});

/**
 * Opens an empty embedded database for a restore.
 * @param options its directory, and whether writes are flushed to disk
 */
export async function embeddedTarget(
  options: Pick<DatabaseOptions, "directory" | "sync"> = {},
): Promise<RestoreTarget> {
  const pglite = await openPglite(options);
  const orm = await PgliteORM.init({
    ...ormOptions({}),
    dbName: "hub",
    driverOptions: { pglite },
  });
  return {
    port: await pgliteCopy(pglite),
    ...migrationsOf(orm),
    async close() {
      await orm.close();
      await pglite.close();
    },
  };
}

/** Opens an existing, empty schema of a PostgreSQL database for a restore. */
export async function postgresTarget(url: string, schema: string): Promise<RestoreTarget> {
  const orm = await PostgresORM.init({
    ...ormOptions({}),
    clientUrl: url,
    schema,
    pool: { min: 0, max: 1 },
    driverOptions: {
      connectionString: url,
      options: startupOptions({
        ...POSTGRES_SETTINGS,
        search_path: `${schema},public`,
        statement_timeout: 0,
      }),
    },
  });
  const port = await postgresCopy(url, schema);
  return {
    port,
    ...migrationsOf(orm),
    async close() {
      await orm.close();
      await port.close();
    },
  };
}
