import type { MikroORM as PgliteORM } from "@mikro-orm/pglite";
import { MikroORM as PostgresORM } from "@mikro-orm/postgresql";
import type { DatabaseOptions, Db } from "../db/database.ts";
import { POSTGRES_SETTINGS, startupOptions } from "../db/drivers/postgres-settings.ts";
import { migrate } from "../db/migrate.ts";
import { openEmbedded, ormOptions } from "../tables/connect.ts";
import type { RestoreTarget } from "./fill-from-archive.ts";
import { pgliteCopy } from "./pglite-copy.ts";
import { ARCHIVE_NAME, postgresCopy } from "./postgres-copy.ts";

function databaseOf(orm: PgliteORM | PostgresORM) {
  const db = orm.em.getKysely() as unknown as Db;
  return {
    db,
    async migrateTo(schema: number) {
      const pending = await orm.migrator.getPending();
      const to = pending[schema - 1]?.name;
      if (to) await orm.migrator.up({ to });
    },
    migrateToNewest: () => migrate(orm, db),
  };
}

/**
 * Opens an empty embedded database for a restore.
 * @param options its directory, and whether writes are flushed to disk
 */
export async function embeddedTarget(
  options: Pick<DatabaseOptions, "directory" | "sync"> = {},
): Promise<RestoreTarget> {
  const { orm, pglite, close } = await openEmbedded(options);
  return {
    ...databaseOf(orm),
    port: await pgliteCopy(pglite),
    [Symbol.asyncDispose]: close,
  };
}

/** Opens an existing, empty schema of a PostgreSQL database for a restore. */
export async function postgresTarget(url: string, schema: string): Promise<RestoreTarget> {
  await using opened = new AsyncDisposableStack();
  const orm = await PostgresORM.init({
    ...ormOptions({}),
    clientUrl: url,
    schema,
    pool: { min: 0, max: 1 },
    driverOptions: {
      connectionString: url,
      application_name: ARCHIVE_NAME,
      options: startupOptions({
        ...POSTGRES_SETTINGS,
        search_path: `${schema},public`,
        statement_timeout: 0,
      }),
    },
  });
  opened.defer(() => orm.close());
  const port = opened.use(await postgresCopy(url, schema));
  const held = opened.move();
  return { ...databaseOf(orm), port, [Symbol.asyncDispose]: () => held.disposeAsync() };
}
