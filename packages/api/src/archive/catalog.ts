import type { SequenceState, TableColumns } from "./archive-format.ts";
import { type CopyPort, quoted } from "./copy-port.ts";

/**
 * Tables that describe one database and not the hub's data. Migrations fill them in each database
 * (0026, 0030). What the search derives from souls is derived again (0079).
 */
const OWN_TO_EACH_DATABASE = [
  "mikro_orm_migrations",
  "sql_functions",
  "hub_schema",
  "hub_identity",
  "vector_model",
  "soul_vectors",
  "soul_terms",
  "soul_word_changes",
];

/** An object of an extension, such as a table of PostGIS, is none of the hub's. */
const ofNoExtension = `not exists (
  select from pg_depend
  where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')`;

/** Returns the hub's tables, with their columns in the order in which they were added. */
export const readTables = ({ query }: CopyPort): Promise<TableColumns[]> =>
  query<TableColumns>(
    `select relname::text as name, array_agg(attname::text order by attnum) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = current_schema()::regnamespace and relkind = 'r'
      and attnum > 0 and not attisdropped and attgenerated = '' and relname <> all ($1)
      and ${ofNoExtension}
    group by relname order by relname`,
    [OWN_TO_EACH_DATABASE],
  );

/** Returns the number of migrations that ran on the database. */
export async function countMigrations({ query }: CopyPort): Promise<number> {
  const [row] = await query<{ version: number }>(
    "select count(*)::int as version from mikro_orm_migrations",
  );
  return row?.version ?? 0;
}

/** Returns the state of each sequence that numbers the rows of a table. */
export async function readSequences(port: CopyPort): Promise<SequenceState[]> {
  const rows = await port.query<{ name: string }>(
    `select relname::text as name from pg_class
    where relkind = 'S' and relnamespace = current_schema()::regnamespace
      and relname <> 'mikro_orm_migrations_id_seq' and ${ofNoExtension} order by relname`,
  );
  const states: SequenceState[] = [];
  for (const { name } of rows) {
    const [state] = await port.query<{ last_value: string; is_called: boolean }>(
      `select last_value::text, is_called from ${quoted(name)}`,
    );
    if (state) {
      states.push({ name, last_value: Number(state.last_value), is_called: state.is_called });
    }
  }
  return states;
}

/** Sets the sequences that exist. Others belong to tables that are none of the hub's. */
export async function setSequences(port: CopyPort, states: SequenceState[]): Promise<void> {
  const known = new Set((await readSequences(port)).map(({ name }) => name));
  for (const { name, last_value, is_called } of states) {
    if (!known.has(name)) continue;
    await port.query("select setval($1::regclass, $2, $3)", [quoted(name), last_value, is_called]);
  }
}

/**
 * Drops the foreign keys, and returns a function that adds them again. Tables can then be filled in
 * any order, and PostgreSQL checks all rows at once.
 */
export async function withoutForeignKeys(port: CopyPort): Promise<() => Promise<void>> {
  const keys = await port.query<{ table: string; name: string; definition: string }>(
    `select relname::text as table, conname::text as name, pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint join pg_class on pg_class.oid = conrelid
    where contype = 'f' and relnamespace = current_schema()::regnamespace
    order by relname, conname`,
  );
  for (const { table, name } of keys) {
    await port.query(`alter table ${quoted(table)} drop constraint ${quoted(name)}`);
  }
  return async () => {
    for (const { table, name, definition } of keys) {
      await port.query(`alter table ${quoted(table)} add constraint ${quoted(name)} ${definition}`);
    }
  };
}
