import { mkdir } from "node:fs/promises";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM as PgliteORM } from "@mikro-orm/pglite";
import { MikroORM as PostgresORM } from "@mikro-orm/postgresql";
import { sql } from "kysely";
import pg from "pg";
import type { Database, DatabaseOptions, Db } from "./database.ts";
import { openPglite } from "./drivers/pglite.ts";
import { PostgresClient } from "./drivers/postgres-client.ts";
import {
  CONNECTION_TIMEOUT_MS,
  POSTGRES_SETTINGS,
  startupOptions,
} from "./drivers/postgres-settings.ts";
import { parsers } from "./drivers/session.ts";
import { entities } from "./entities.ts";
import { migrate, migrations, withMigrationLock } from "./migrate.ts";
import { findLackingRole, storeSettings } from "./pooled-sessions.ts";

/** Time limit of a statement, without which a silent database would delay callers for minutes. */
const QUERY_TIMEOUT_MS = 30_000;
const POOL_SIZE = 10;

interface ClientOptions {
  /** Startup parameters, which set the session's settings. A pooler refuses them. */
  options?: string;
  /** Time limit in milliseconds that the client itself keeps. */
  query_timeout?: number;
  namesStatements?: boolean;
}

const ormOptions = ({ log }: DatabaseOptions) => ({
  entities,
  extensions: [Migrator],
  migrations: { migrationsList: migrations, snapshot: false },
  colors: false,
  logger: log ?? (() => {}),
});

/**
 * Opens the database and brings its schema up to date. Several servers may start at once.
 * @throws Error if the database cannot be reached or is from before the first release
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
  const { pooler = "off", directUrl = url } = options;
  const types = new pg.TypeOverrides();
  for (const [oid, parse] of Object.entries(parsers)) types.setTypeParser(Number(oid), parse);
  const open = (clientUrl: string, client: ClientOptions) =>
    PostgresORM.init({
      ...ormOptions(options),
      clientUrl,
      pool: { min: 0, max: poolSize },
      driverOptions: {
        Client: PostgresClient,
        types,
        keepAlive: true,
        // pg's connection timeout also limits the wait for a free connection of the pool.
        connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
        ...client,
      },
    });
  const settings = { ...POSTGRES_SETTINGS, statement_timeout: queryTimeoutMs };
  // Migrations use connections without timeouts. Building an index may take long, and so may the
  // wait for another server's migration.
  const migrating = await open(directUrl, {
    options: startupOptions({ ...settings, statement_timeout: 0 }),
  });
  const orm = await open(url, {
    query_timeout: queryTimeoutMs,
    ...(pooler === "off"
      ? { options: startupOptions(settings) }
      : { namesStatements: pooler === "prepared" }),
  });
  try {
    const direct = migrating.em.getKysely() as unknown as Db;
    const pooled = orm.em.getKysely() as unknown as Db;
    await withMigrationLock(direct, async () => {
      await migrate(migrating, direct);
      if (pooler === "off") return;
      await storeSettings(direct, new pg.Client(url).user ?? "", settings);
      await assertSameDatabase(direct, pooled);
      const role = await findLackingRole({ pooled, settings, connections: poolSize });
      if (role === null) return;
      await storeSettings(direct, role, settings);
      throw failure("POOLED_SETTINGS", "The pooler's sessions lack the hub's settings.");
    });
  } catch (error) {
    await orm.close();
    throw error;
  } finally {
    await migrating.close();
  }
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

/** @throws Error with code `OTHER_DATABASE` if the pooler leads to another database */
async function assertSameDatabase(direct: Db, pooled: Db): Promise<void> {
  if ((await readIdentity(direct)) === (await readIdentity(pooled))) return;
  throw failure("OTHER_DATABASE", "The two URLs name different databases.");
}

const failure = (code: string, message: string) => Object.assign(new Error(message), { code });

/** Returns the id of a database: a hash of its first migration's time and its object id. */
async function readIdentity(db: Db): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select md5(extract(epoch from min(executed_at))::text || (
      select oid from pg_database where datname = current_database())) as id
    from mikro_orm_migrations`.execute(db);
  return rows[0]?.id.slice(0, 16) ?? "";
}
