import { mkdir } from "node:fs/promises";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM as PgliteORM } from "@mikro-orm/pglite";
import { MikroORM as PostgresORM } from "@mikro-orm/postgresql";
import pg from "pg";
import type { Database, DatabaseOptions, Db } from "./database.ts";
import { openPglite } from "./drivers/pglite.ts";
import { PostgresClient } from "./drivers/postgres-client.ts";
import { parsers, sessionSettings } from "./drivers/session.ts";
import { entities } from "./entities.ts";
import { readIdentity } from "./identity.ts";
import { migrate, migrations } from "./migrate.ts";
import { LOCK_TIMEOUT_MS, retryLockConflicts, withMigrationLock } from "./migration-lock.ts";

/**
 * Time limits of database calls. Without them a database that does not answer would delay callers
 * for minutes.
 */
const CONNECTION_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 30_000;
const POOL_SIZE = 10;

/**
 * Settings of PostgreSQL connections. A search collects references to hundreds of thousands of
 * rows. With the default `work_mem` of 4 MB, PostgreSQL would keep references to pages and read all
 * rows of those pages. JIT compilation would take longer than the queries.
 */
const POSTGRES_SETTINGS = { ...sessionSettings, work_mem: "32MB", jit: "off" };

const ormOptions = ({ log }: DatabaseOptions) => ({
  entities,
  extensions: [Migrator],
  // Each migration has its own transaction, because an index is built outside of transactions.
  migrations: { migrationsList: migrations, snapshot: false, allOrNothing: false },
  colors: false,
  logger: log ?? (() => {}),
});

/**
 * Opens the database and brings its schema up to date. Several servers may start at once.
 * @throws Error if the database cannot be reached, is from before the first release or is too new
 */
export async function connectDatabase(options: DatabaseOptions = {}): Promise<Database> {
  return options.url ? connectPostgres(options.url, options) : connectPglite(options);
}

async function connectPglite(options: DatabaseOptions): Promise<Database> {
  const { directory } = options;
  if (directory) await mkdir(directory, { recursive: true, mode: 0o700 });
  const pglite = await openPglite(options);
  try {
    const orm = await PgliteORM.init({
      ...ormOptions(options),
      dbName: "hub",
      driverOptions: { pglite },
    });
    const db = orm.em.getKysely() as unknown as Db;
    await migrate(orm, db);
    return {
      kind: "pglite",
      db,
      connections: 1,
      id: await readIdentity(db),
      pendingSchemaChanges: () => orm.schema.getUpdateSchemaSQL({ wrap: false }),
      close: async () => {
        await orm.close();
        await pglite.close();
      },
    };
  } catch (error) {
    await pglite.close();
    throw error;
  }
}

async function connectPostgres(url: string, options: DatabaseOptions): Promise<Database> {
  const { poolSize = POOL_SIZE, queryTimeoutMs = QUERY_TIMEOUT_MS } = options;
  const types = new pg.TypeOverrides();
  for (const [oid, parse] of Object.entries(parsers)) types.setTypeParser(Number(oid), parse);
  const settings = Object.entries(POSTGRES_SETTINGS).map(([name, value]) => `-c ${name}=${value}`);
  const open = (
    connections: number,
    timeouts: { lock_timeout: number } | { query_timeout: number; statement_timeout: number },
  ) =>
    PostgresORM.init({
      ...ormOptions(options),
      clientUrl: url,
      pool: { min: 0, max: connections },
      driverOptions: {
        Client: PostgresClient,
        types,
        options: settings.join(" "),
        keepAlive: true,
        // pg's connection timeout also limits the wait for a free connection of the pool.
        connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
        ...timeouts,
      },
    });
  // Migrations have no time limit, because building an index may take long. They have one
  // connection, and the lock has the other.
  const migrating = await open(2, { lock_timeout: LOCK_TIMEOUT_MS });
  try {
    const db = migrating.em.getKysely() as unknown as Db;
    await retryLockConflicts(
      () => withMigrationLock(db, () => migrate(migrating, db)),
      options.log,
    );
  } finally {
    await migrating.close();
  }
  const orm = await open(poolSize, {
    query_timeout: queryTimeoutMs,
    statement_timeout: queryTimeoutMs,
  });
  const db = orm.em.getKysely() as unknown as Db;
  return {
    kind: "postgresql",
    db,
    connections: poolSize,
    id: await readIdentity(db),
    pendingSchemaChanges: () => orm.schema.getUpdateSchemaSQL({ wrap: false }),
    close: () => orm.close(),
  };
}
