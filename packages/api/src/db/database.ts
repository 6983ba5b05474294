import type { EntitySchemaWithMeta, InferKyselyTable } from "@mikro-orm/sql";
import type { ColumnType, Kysely, SelectType } from "kysely";
import type { StatementWatch } from "./statement-watch.ts";

/**
 * The tables in the types of queries. `tables/entities.ts` adds them, so that this file imports no
 * slice (0027).
 */
// biome-ignore lint/suspicious/noEmptyInterface: tables/entities.ts adds the members.
export interface Tables {}

/**
 * The tables of entities. An insert may omit any column, for which the database then uses the
 * default.
 */
export type TablesOf<Entity extends EntitySchemaWithMeta> = {
  [Each in Entity as Each["name"]]: Insertable<InferKyselyTable<Each>>;
};

type Insertable<Table> = {
  [Column in keyof Table]: ColumnType<
    SelectType<Table[Column]>,
    SelectType<Table[Column]> | undefined,
    SelectType<Table[Column]>
  >;
};

/**
 * A query builder that knows the types of all tables. Inside a transaction, use only the
 * transaction's own instance.
 */
export type Db = Kysely<Tables>;

export interface DatabaseOptions {
  /** URL of a server with PostgreSQL 15 or later. Without it, the embedded database is used. */
  url?: string | undefined;
  /**
   * The pooler that `url` names. `transaction` gives a connection to PostgreSQL for one transaction
   * and cannot keep prepared statements; `prepared` can (0032).
   */
  pooler?: "off" | "transaction" | "prepared" | undefined;
  /** URL of the same database without a pooler, for migrations and locks; `url` by default. */
  directUrl?: string | undefined;
  /** Directory of the embedded database. Without it, the embedded database is in memory. */
  directory?: string | undefined;
  /** A tar archive of a data directory: an in-memory database starts as a copy of it. */
  dump?: Blob | undefined;
  /**
   * Whether the embedded database flushes a transaction to disk before it acknowledges it; true by
   * default (0029). A database in memory has nothing to flush.
   */
  sync?: boolean | undefined;
  /** Size of the PostgreSQL connection pool. The embedded database has one connection. */
  poolSize?: number | undefined;
  /** Timeout of a PostgreSQL statement in milliseconds, 30,000 by default. Migrations have none. */
  queryTimeoutMs?: number | undefined;
  /**
   * Runs before migrations change an embedded database that has data. Nothing has the database open
   * then.
   */
  beforeMigration?: (() => Promise<void>) | undefined;
  /** Receives a line for each migration that ran, and for each wait for a locked table. */
  log?: ((message: string) => void) | undefined;
}

export interface Database {
  kind: "pglite" | "postgresql";
  db: Db;
  /** The directory of the embedded database. Null in memory and for PostgreSQL. */
  directory: string | null;
  /** The number of statements that the database can run at once. */
  connections: number;
  /** Notes the statements that `db` runs. */
  statements: StatementWatch;
  /**
   * Counts the connections in use, and the callers that wait for one. Absent for the embedded
   * database, which has no pool.
   */
  pool?(): { used: number; waiting: number };
  /** Id of this hub's data. All servers on one database have the same id. */
  id: string;
  /**
   * Returns the free bytes of the file system that holds an embedded database. Absent for
   * PostgreSQL, and for a database in memory.
   */
  freeBytes?(): Promise<number>;
  /**
   * Returns the SQL that would change the tables to match the entities; empty if they already
   * match.
   */
  pendingSchemaChanges(): Promise<string>;
  close(): Promise<void>;
}
