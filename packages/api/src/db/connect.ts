import { mkdir } from "node:fs/promises";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { Migrator } from "@mikro-orm/migrations";
import { MikroORM as PgliteORM } from "@mikro-orm/pglite";
import { MikroORM as PostgresORM } from "@mikro-orm/postgresql";
import { sql } from "kysely";
import pg from "pg";
import { type Db, entities } from "./entities.ts";
import { FirstTables } from "./migrations/0001-first-tables.ts";
import { Wallets } from "./migrations/0002-wallets.ts";
import { LikesAndRatings } from "./migrations/0003-likes-and-ratings.ts";
import { IdempotentCalls } from "./migrations/0004-idempotent-calls.ts";
import { SearchAtAMillion } from "./migrations/0005-search-at-a-million.ts";
import { ProviderKeys } from "./migrations/0006-provider-keys.ts";
import { ModelUsage } from "./migrations/0007-model-usage.ts";
import { NftGates } from "./migrations/0008-nft-gates.ts";
import { OneFoldAtATime } from "./migrations/0009-one-fold-at-a-time.ts";
import { WordsAsTheyAreSaid } from "./migrations/0010-words-as-they-are-said.ts";
import { StoreExchange } from "./migrations/0015-store-exchange.ts";
import { SoulChanges } from "./migrations/0017-soul-changes.ts";
import { ChatsAtOnce } from "./migrations/0018-chats-at-once.ts";
import { WordsOfSouls } from "./migrations/0019-words-of-souls.ts";
import { StoringOnce } from "./migrations/0023-storing-once.ts";
import { openPglite } from "./pglite.ts";
import { PostgresClient } from "./postgres-client.ts";

export interface DatabaseOptions {
  /** `postgres://…`: PostgreSQL 15 or later. Without it the embedded database. */
  url?: string | undefined;
  /** Where the embedded database lives; without it in memory. */
  directory?: string | undefined;
  /** Of a PostgreSQL database that others use too: the hub's tables stand in this schema. */
  schema?: string | undefined;
  /** Connections to PostgreSQL. The embedded database has one. */
  poolSize?: number | undefined;
  /** How long PostgreSQL may take for a statement; without it half a minute. Migrations may take longer. */
  queryTimeoutMs?: number | undefined;
  /** Gets the ORM's own remarks, such as which migrations ran. */
  log?: ((message: string) => void) | undefined;
}

export interface Database {
  kind: "pglite" | "postgresql";
  db: Db;
  /** Statements that can run at a time. */
  connections: number;
  /** Tells this hub's data from every other's, and is the same for all servers on it. */
  id: string;
  /** SQL that would bring the tables to what the entities say; empty when they agree. */
  pendingSchemaChanges(): Promise<string>;
  close(): Promise<void>;
}

/** Not longer than a caller would wait: a database that is silent must not hold them for ever. */
const CONNECTION_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 30_000;
const POOL_SIZE = 10;

/**
 * A search gathers hundreds of thousands of matches; with PostgreSQL's own 4 MB it forgets which row
 * of a page they were, and reads all of them. And to compile a query takes longer than to run it.
 */
const WORK_MEM = "32MB";

const INT8 = 20;
const TIMESTAMPTZ = 1184;
const DATE = 1082;
const asText = (text: string) => text;

export const migrations = [
  FirstTables,
  Wallets,
  LikesAndRatings,
  IdempotentCalls,
  SearchAtAMillion,
  ProviderKeys,
  ModelUsage,
  NftGates,
  OneFoldAtATime,
  WordsAsTheyAreSaid,
  StoreExchange,
  SoulChanges,
  ChatsAtOnce,
  WordsOfSouls,
  StoringOnce,
] as const;

const ormOptions = ({ log }: DatabaseOptions) => ({
  entities: [...entities],
  extensions: [Migrator],
  migrations: {
    migrationsList: [...migrations],
    snapshot: false,
  },
  colors: false,
  logger: log ?? (() => {}),
});

/** Opens the database and brings its tables up to date. Safe when several servers start at once. */
export async function connectDatabase(options: DatabaseOptions = {}): Promise<Database> {
  return options.url ? connectPostgres(options.url, options) : connectPglite(options);
}

async function connectPglite(options: DatabaseOptions): Promise<Database> {
  const { directory } = options;
  if (directory) await mkdir(directory, { recursive: true, mode: 0o700 });
  const pglite = await openPglite({
    ...(directory ? { dataDir: directory } : {}),
    extensions: { pg_trgm },
    // Ids are whole numbers up to 2^53-1; times stay text until the border (./utc-text.ts).
    parsers: { [INT8]: Number, [TIMESTAMPTZ]: asText, [DATE]: asText },
  });
  const orm = await PgliteORM.init({
    ...ormOptions(options),
    dbName: "hub",
    driverOptions: { pglite },
  });
  await orm.migrator.up();
  const db = orm.em.getKysely() as unknown as Db;
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
}

async function connectPostgres(url: string, options: DatabaseOptions): Promise<Database> {
  const { poolSize = POOL_SIZE } = options;
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, Number);
  types.setTypeParser(TIMESTAMPTZ, asText);
  types.setTypeParser(DATE, asText);
  const open = (timeouts: { query_timeout?: number; statement_timeout?: number }) =>
    PostgresORM.init({
      ...ormOptions(options),
      clientUrl: url,
      pool: { min: 0, max: poolSize },
      ...(options.schema ? { schema: options.schema } : {}),
      driverOptions: {
        Client: PostgresClient,
        types,
        options: `-c timezone=UTC -c work_mem=${WORK_MEM} -c jit=off${options.schema ? ` -c search_path=${options.schema},public` : ""}`,
        keepAlive: true,
        // Also how long a call waits for one of the pool.
        connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
        ...timeouts,
      },
    });
  // On connections of their own: building an index takes its time, and so may the server before us.
  const migrating = await open({});
  try {
    const lockable = migrating.em.getKysely() as unknown as Db;
    await underMigrationLock(lockable, () => migrating.migrator.up());
  } finally {
    await migrating.close();
  }
  const { queryTimeoutMs = QUERY_TIMEOUT_MS } = options;
  const orm = await open({ query_timeout: queryTimeoutMs, statement_timeout: queryTimeoutMs });
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

/** When its first table was made, to the microsecond, and the number of the database it stands in. */
async function readIdentity(db: Db): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select md5(min(executed_at)::text || (
      select oid from pg_database where datname = current_database())) as id
    from mikro_orm_migrations`.execute(db);
  return rows[0]?.id.slice(0, 16) ?? "";
}

/** Any number, the same in every server. */
const MIGRATION_LOCK = 7_281_946;

/** Several servers may start at once; one of them migrates, the others wait and find it done. */
function underMigrationLock<T>(db: Db, work: () => Promise<T>): Promise<T> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK}::bigint)`.execute(connection);
    try {
      return await work();
    } finally {
      await sql`select pg_advisory_unlock(${MIGRATION_LOCK}::bigint)`.execute(connection);
    }
  });
}
