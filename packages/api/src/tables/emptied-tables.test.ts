import { sql } from "kysely";
import { expect, it } from "vitest";
import { emptyDatabase, ROOT_TABLES, ruleDatabase } from "../testing/test-database.ts";

/** Tables that a migration fills, and that no test changes. */
const KEPT = [
  "hub_identity",
  "hub_schema",
  "mikro_orm_migrations",
  "sql_functions",
  "vector_model",
];

it("a test database is emptied of all rows: those of other tables go with the rows they belong to", async () => {
  const { db } = await emptyDatabase(ruleDatabase());
  const { rows } = await sql<{ name: string }>`
    select relname::text as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace and not exists (
      select from pg_constraint
      where conrelid = pg_class.oid and contype = 'f' and confdeltype = 'c' and not exists (
        select from pg_attribute
        where attrelid = conrelid and attnum = any(conkey) and not attnotnull))`.execute(db);
  const ownRows = rows.map(({ name }) => name).filter((name) => !KEPT.includes(name));
  expect(ROOT_TABLES).toEqual(expect.arrayContaining(ownRows));
});
