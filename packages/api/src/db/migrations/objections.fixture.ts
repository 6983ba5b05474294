import type { Migration } from "@mikro-orm/migrations";

type MigrationClass = new (driver: never, config: never) => Migration;

/**
 * Returns the statements of a migration that could break or delay servers of the previous release,
 * which run meanwhile (0030). Tables that the migration itself creates may be changed freely.
 */
export async function objectionsTo(migrationClass: MigrationClass): Promise<string[]> {
  // A migration that runs statements by itself, without addSql, fails: there is no driver.
  const migration = new migrationClass(undefined as never, undefined as never);
  await migration.up();
  const own = new Set<string>();
  const careful = new Set<string>();
  return migration.getQueries().flatMap((query) => {
    const statement = String(query).toLowerCase().replace(/\s+/g, " ").trim();
    const created = /^create table (\w+)/.exec(statement)?.[1];
    if (created) own.add(created);
    const definition = /^create function (\w+)\(\) returns trigger .* exception when others /;
    const carefulFunction = definition.exec(statement)?.[1];
    if (carefulFunction) careful.add(carefulFunction);
    const run = /^create trigger .* execute function (\w+)\(\)$/.exec(statement)?.[1];
    if (run !== undefined && careful.has(run)) return [];
    const table = tableOf(statement);
    const isFine =
      (table !== undefined && own.has(table)) ||
      (migration.isTransactional() ? isAddition(statement) : isConcurrent(statement));
    return isFine ? [] : [String(query)];
  });
}

const tableOf = (statement: string) =>
  /^(?:create table|alter table|insert into|update|delete from|create (?:unique )?index \w+ on) (\w+)/.exec(
    statement,
  )?.[1];

/**
 * Servers of the first release run prepared statements with `returning *` on these tables. The
 * statements fail once a table has another column, so these tables gain none until release 3.
 */
const UNCHANGED_TABLES = new Set(["quota_holds", "provider_keys"]);
const ADDED_COLUMN = /^alter table (?<table>\w+) add column \w+ (?<type>[^,]+)$/;
/** Words of a column that read the whole table, lock it long, or refuse rows of earlier releases. */
const NOT_ADDITIVE = /\b(unique|primary key|check|generated|references|not null(?!.* default ))\b/;

/** An insert goes into tables of the same migration only: a backfill runs after the start. */
function isAddition(statement: string): boolean {
  const { table, type } = ADDED_COLUMN.exec(statement)?.groups ?? {};
  if (!table || !type) return statement.startsWith("create function ");
  return !UNCHANGED_TABLES.has(table) && !NOT_ADDITIVE.test(type);
}

/**
 * Columns that servers of the previous release leave null. A unique index that has one of them
 * refuses no row of theirs, because null equals nothing.
 */
const LEFT_NULL = new Map([["soul_versions", "number"]]);
const UNIQUE_INDEX =
  /^create unique index concurrently \w+ on (?<table>\w+) \((?<columns>[\w, ]+)\)$/;

function isConcurrent(statement: string): boolean {
  const { table = "", columns = "" } = UNIQUE_INDEX.exec(statement)?.groups ?? {};
  const leftNull = LEFT_NULL.get(table);
  return (
    /^(set|reset) lock_timeout\b/.test(statement) ||
    /^(create index|drop index) concurrently /.test(statement) ||
    (leftNull !== undefined && columns.split(", ").includes(leftNull))
  );
}
