import { statfs } from "node:fs/promises";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM as PgliteORM } from "@mikro-orm/pglite";
import { MikroORM as PostgresORM } from "@mikro-orm/postgresql";
import pg from "pg";
import type { Database, DatabaseOptions, Db } from "../db/database.ts";
import { openPglite } from "../db/drivers/pglite.ts";
import { PostgresClient } from "../db/drivers/postgres-client.ts";
import {
  CONNECTION_TIMEOUT_MS,
  POSTGRES_SETTINGS,
  startupOptions,
} from "../db/drivers/postgres-settings.ts";
import { parsers } from "../db/drivers/session.ts";
import { readIdentity } from "../db/identity.ts";
import { migrate, migrations } from "../db/migrate.ts";
import {
  LOCK_TIMEOUT_MS,
  retryLockConflicts,
  withMigrationLock,
} from "../db/migrations/migration-lock.ts";
import { findLackingRole, type PooledSessions, storeSettings } from "../db/pooled-sessions.ts";
import { type BeginStatement, StatementWatch } from "../db/statement-watch.ts";
import { entities } from "./entities.ts";

/** Time limit of a statement, without which a silent database would delay callers for minutes. */
const QUERY_TIMEOUT_MS = 30_000;
const POOL_SIZE = 10;
export const APPLICATION_NAME = "soul-hub";

interface ClientOptions {
  /** Startup parameters, which set the session's settings. A pooler refuses them. */
  options?: string;
  /** Time limit in milliseconds that the client itself keeps. */
  query_timeout?: number;
  namesStatements?: boolean;
  onStatement?: BeginStatement;
  onPoolCreated?: (pool: pg.Pool) => void;
}

/** The options that every connection of the ORM shares. */
export const ormOptions = ({ log }: DatabaseOptions) => ({
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
  const { directory, beforeMigration } = options;
  let opened = await openEmbedded(options);
  try {
    if (beforeMigration && (await awaitsMigration(opened.orm))) {
      await opened.close();
      await beforeMigration();
      opened = await openEmbedded(options);
    }
    const { orm, close } = opened;
    const db = orm.em.getKysely() as unknown as Db;
    await migrate(orm, db);
    return {
      kind: "pglite",
      directory: directory ?? null,
      db,
      connections: 1,
      statements: opened.statements,
      id: await readIdentity(db),
      ...(directory ? { freeBytes: () => freeBytesAt(directory) } : {}),
      pendingSchemaChanges: () => orm.schema.getUpdateSchemaSQL({ wrap: false }),
      close,
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function freeBytesAt(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/** Opens the embedded database as it is. */
export async function openEmbedded(options: DatabaseOptions) {
  const pglite = await openPglite(options);
  const orm = await PgliteORM.init({
    ...ormOptions(options),
    dbName: "hub",
    driverOptions: { pglite },
  });
  return {
    orm,
    pglite,
    statements: pglite.watch,
    async close() {
      await orm.close();
      await pglite.close();
    },
  };
}

/** True if the database has data of an older schema. */
async function awaitsMigration(orm: PgliteORM): Promise<boolean> {
  const executed = await orm.migrator.getExecuted();
  return executed.length > 0 && executed.length < migrations.length;
}

async function connectPostgres(url: string, options: DatabaseOptions): Promise<Database> {
  const { poolSize = POOL_SIZE, queryTimeoutMs = QUERY_TIMEOUT_MS } = options;
  const { pooler = "off", directUrl = url } = options;
  const types = new pg.TypeOverrides();
  for (const [oid, parse] of Object.entries(parsers)) types.setTypeParser(Number(oid), parse);
  const open = (clientUrl: string, connections: number, client: ClientOptions) =>
    PostgresORM.init({
      ...ormOptions(options),
      clientUrl,
      pool: { min: 0, max: connections },
      driverOptions: {
        // MikroORM reads no parameters of the URL, such as sslmode. pg does.
        connectionString: clientUrl,
        Client: PostgresClient,
        types,
        keepAlive: true,
        // A restore recognises running hubs by this name (0028).
        application_name: APPLICATION_NAME,
        // pg's connection timeout also limits the wait for a free connection of the pool.
        connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
        ...client,
      },
    });
  const settings = { ...POSTGRES_SETTINGS, statement_timeout: queryTimeoutMs };
  // Migrations have no time limit, because building an index may take long. They have one
  // connection, and the lock has the other.
  const migrating = await open(directUrl, 2, {
    options: startupOptions({ ...settings, statement_timeout: 0, lock_timeout: LOCK_TIMEOUT_MS }),
  });
  const statements = new StatementWatch();
  let pool: pg.Pool | undefined;
  const orm = await open(url, poolSize, {
    // MikroORM copies the objects among its options, but not the functions.
    onStatement: (text) => statements.begin(text),
    onPoolCreated: (created) => {
      pool = created;
    },
    query_timeout: queryTimeoutMs,
    ...(pooler === "off"
      ? { options: startupOptions(settings) }
      : { namesStatements: pooler === "prepared" }),
  });
  try {
    const direct = migrating.em.getKysely() as unknown as Db;
    const pooled = orm.em.getKysely() as unknown as Db;
    await retryLockConflicts(
      () => withMigrationLock(direct, () => migrate(migrating, direct)),
      options.log,
    );
    if (pooler !== "off") {
      const user = new pg.Client(url).user ?? "";
      const sessions = { pooled, settings, connections: poolSize };
      await withMigrationLock(direct, () => preparePool(direct, user, sessions));
    }
  } catch (error) {
    await orm.close();
    throw error;
  } finally {
    await migrating.close();
  }
  const db = orm.em.getKysely() as unknown as Db;
  return {
    kind: "postgresql",
    directory: null,
    db,
    connections: poolSize,
    statements,
    pool: () => {
      const { totalCount = 0, idleCount = 0, waitingCount = 0 } = pool ?? {};
      return { used: totalCount - idleCount, waiting: waitingCount };
    },
    id: await readIdentity(db),
    pendingSchemaChanges: () => orm.schema.getUpdateSchemaSQL({ wrap: false }),
    close: () => orm.close(),
  };
}

/**
 * Stores the hub's settings for the sessions of a pooler, and checks that they arrive.
 * @throws Error with code `OTHER_DATABASE` if the pooler leads to another database,
 *   `POOLED_SETTINGS` if its sessions lack the settings
 */
async function preparePool(direct: Db, user: string, pool: PooledSessions): Promise<void> {
  const { pooled, settings } = pool;
  await storeSettings(direct, user, settings);
  if ((await readIdentity(direct)) !== (await readIdentity(pooled))) {
    throw failure("OTHER_DATABASE", "The two URLs name different databases.");
  }
  const role = await findLackingRole(pool);
  if (role === null) return;
  await storeSettings(direct, role, settings);
  throw failure("POOLED_SETTINGS", "The pooler's sessions lack the hub's settings.");
}

const failure = (code: string, message: string) => Object.assign(new Error(message), { code });
