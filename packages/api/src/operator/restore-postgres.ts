import { setTimeout as sleep } from "node:timers/promises";
import { ArchiveError } from "../archive/archive-error.ts";
import { type CopyPort, quoted } from "../archive/copy-port.ts";
import { postgresCopy } from "../archive/postgres-copy.ts";
import type { OpenArchive } from "../archive/read-archive.ts";
import { postgresTarget } from "../archive/restore-target.ts";
import { firstError } from "../db/database-errors.ts";
import { MIGRATION_LOCK } from "../db/migrations/migration-lock.ts";
import { fileTime } from "../file-time.ts";
import { APPLICATION_NAME } from "../tables/connect.ts";
import { carryDeletions } from "./carry-deletions.ts";
import { copyRights } from "./copy-rights.ts";
import { fillRestored } from "./fill-restored.ts";
import type { Restored } from "./restore-options.ts";

/** The schema of the hub's tables, as MikroORM's default has it. */
const HUB = "public";
/** The schema that a restore fills. */
const RESTORING = "hub_restoring";

/**
 * A hub checks the schema version every 15 s (0030), and the pool keeps that connection for 10 s. A
 * watch of 16 s therefore sees every running hub. In milliseconds.
 */
const WATCH_MS = 16_000;
const LOOK_MS = 500;
const LOCK_ATTEMPTS = 20;
/** SQLSTATE 42501. */
const INSUFFICIENT_PRIVILEGE = "42501";
const NOT_EMPTY = "The PostgreSQL database is not empty: it contains tables.";

interface PostgresRestore {
  url: string;
  replace: boolean;
  /** True if the hub itself moves here, with the mails that wait (0033). */
  isMove?: boolean;
  watchMs?: number;
  /** Called with the failure of a restore before the target is emptied. */
  onFailure?: (error: unknown) => void;
}

/**
 * Restores a backup into a PostgreSQL database. The rows go to a schema of their own. One
 * transaction then moves its tables and functions into the place of the former ones.
 * @throws ArchiveError `target_refused`, `target_in_use`, `target_not_empty`, `damaged_archive`
 */
export async function restorePostgres(
  backup: OpenArchive,
  { url, replace, isMove = false, watchMs = WATCH_MS, onFailure }: PostgresRestore,
): Promise<Restored> {
  await using port = await postgresCopy(url);
  await assertSchema(port);
  // A hub that starts now waits until the restore is done.
  await lockMigrations(port);
  const hasTables = (await objectsOf(port, HUB)).length > 0;
  if (hasTables && !replace) throw new ArchiveError("target_not_empty", NOT_EMPTY);
  // A hub that runs has created its tables.
  if (hasTables) await assertUnused(port, watchMs);
  try {
    await port.query(`drop schema if exists ${RESTORING} cascade`);
    await port.query(`create schema ${RESTORING}`);
    const rows = await fill(hasTables);
    const former = hasTables ? `before_${fileTime().replace("-", "_")}` : null;
    await swap(port, former);
    return {
      manifest: backup.manifest,
      rows,
      target: `PostgreSQL at ${new URL(url).host}`,
      former: former && `the schema ${former}`,
    };
  } catch (thrown) {
    const error = refusalOf(firstError(thrown));
    onFailure?.(error);
    await port.query("rollback");
    await port.query(`drop schema if exists ${RESTORING} cascade`);
    throw error;
  }

  async function fill(replaces: boolean): Promise<number> {
    await using target = await postgresTarget(url, RESTORING);
    const carryInto = async (restored: CopyPort) => {
      if (replaces) await carryDeletions(port, restored);
    };
    const rows = await fillRestored(target, backup, { carryInto, isMove });
    await target.port.query("analyze");
    return rows;
  }
}

/** Names the remedy where PostgreSQL refuses a right. */
function refusalOf(error: unknown): unknown {
  if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) return error;
  const message = `The role must own the database and its tables: ${(error as Error).message}.`;
  return new ArchiveError("target_refused", message, { cause: error });
}

/** @throws ArchiveError `target_refused` if the hub's tables would be in another schema */
async function assertSchema({ query }: CopyPort): Promise<void> {
  const [row] = await query<{ schema: string }>("select current_schema() as schema");
  if (row?.schema === HUB) return;
  throw new ArchiveError(
    "target_refused",
    `The role's first schema is ${row?.schema}. A restore needs the schema ${HUB}: change the role's search_path.`,
  );
}

/**
 * Takes the migration lock. A statement that waits for it could wait for ever (migration-lock.ts).
 * @throws ArchiveError `target_in_use` if a hub keeps the lock
 */
async function lockMigrations({ query }: CopyPort): Promise<void> {
  for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
    const [row] = await query<{ taken: boolean }>(
      "select pg_try_advisory_lock($1::bigint) as taken",
      [MIGRATION_LOCK],
    );
    if (row?.taken) return;
    await sleep(LOOK_MS);
  }
  throw new ArchiveError("target_in_use", "A hub migrates this database. Stop it first.");
}

/** @throws ArchiveError `target_in_use` if a hub has a connection to the database */
async function assertUnused(port: CopyPort, watchMs: number): Promise<void> {
  const until = performance.now() + watchMs;
  do {
    const hubs = await port.query(
      `select from pg_stat_activity
      where datname = current_database() and application_name = $1
        and (state is null or state <> 'idle' or state_change > now() - $2 * interval '1 millisecond')`,
      // A pooler keeps the connections of a hub that has stopped.
      [APPLICATION_NAME, WATCH_MS],
    );
    if (hubs.length > 0) {
      throw new ArchiveError(
        "target_in_use",
        "A hub is using this database, or used it in the last 16 s. Stop the hub, and try again after 20 s.",
      );
    }
    await sleep(LOOK_MS);
  } while (performance.now() < until);
}

interface DatabaseObject {
  kind: "table" | "sequence" | "function";
  /** The quoted name, with the argument types of a function. */
  name: string;
}

/** Lists the objects of a schema, without those of extensions and those that follow a table. */
const objectsOf = ({ query }: CopyPort, schema: string): Promise<DatabaseObject[]> =>
  query<DatabaseObject>(
    `select case relkind when 'S' then 'sequence' else 'table' end as kind,
      quote_ident(relname) as name
    from pg_class
    where relnamespace = $1::regnamespace and relkind in ('r', 'p', 'S') and not exists (
      select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid
        and deptype in ('a', 'e', 'i'))
    union all
    select 'function', quote_ident(proname) || '(' || pg_get_function_identity_arguments(oid) || ')'
    from pg_proc
    where pronamespace = $1::regnamespace and prokind in ('f', 'p') and not exists (
      select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid
        and deptype = 'e')`,
    [schema],
  );

async function swap(port: CopyPort, former: string | null): Promise<void> {
  await port.query("begin");
  if (former) {
    await port.query(`create schema ${quoted(former)}`);
    await moveAll(port, HUB, former);
  }
  await moveAll(port, RESTORING, HUB);
  if (former) await copyRights(port, { from: former, to: HUB });
  await port.query(`drop schema ${RESTORING}`);
  await port.query("commit");
}

async function moveAll(port: CopyPort, from: string, to: string): Promise<void> {
  for (const { kind, name } of await objectsOf(port, from)) {
    await port.query(`alter ${kind} ${from}.${name} set schema ${quoted(to)}`);
  }
}
