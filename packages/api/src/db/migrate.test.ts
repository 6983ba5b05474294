import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { connectDatabase } from "../tables/connect.ts";
import { testDatabases } from "../testing/test-database.ts";
import type { Db } from "./database.ts";
import { lastingDatabase } from "./lasting-database.fixture.ts";

const readMoveDomainTag = async (db: Db) => {
  const { rows } = await sql<{ body: string }>`
    select prosrc as body from pg_proc where proname = 'move_domain_tag'`.execute(db);
  return rows[0]?.body.trim();
};

/**
 * Replaces the SQL function `move_domain_tag` and its recorded hash, as another release would have
 * left them.
 */
async function replaceMoveDomainTag(db: Db) {
  await sql
    .raw(
      "create or replace function move_domain_tag(former text, present text) returns void language sql as 'select'",
    )
    .execute(db);
  await sql`update sql_functions set hash = 'other' where name = 'move_domain_tag'`.execute(db);
}

describe.each(testDatabases())("a start on %s", (kind) => {
  it("runs SQL functions again whose hash has changed, and only those", async () => {
    await using database = await lastingDatabase(kind);
    const body = await database.open(readMoveDomainTag);
    await database.open(async (db) => {
      await replaceMoveDomainTag(db);
      await sql`create or replace function hub_now() returns timestamptz
        language sql stable as 'select now() + interval ''0'''`.execute(db);
    });
    await database.open(async (db) => {
      expect(await readMoveDomainTag(db)).toBe(body);
      const { rows } = await sql<{ body: string }>`
        select prosrc as body from pg_proc where proname = 'hub_now'`.execute(db);
      expect(rows[0]?.body).toContain("interval '0'");
    });
  });

  it("leaves SQL functions of a newer schema alone", async () => {
    await using database = await lastingDatabase(kind);
    await database.open(async (db) => {
      await replaceMoveDomainTag(db);
      await sql`insert into mikro_orm_migrations (name) values ('9999-later')`.execute(db);
    });
    expect(await database.open(readMoveDomainTag)).toBe("select");
  });

  it("refuses a database from before the first release on each start", async () => {
    await using database = await lastingDatabase(kind);
    await database.open((db) =>
      sql`update mikro_orm_migrations set name = '0001-first-tables'`.execute(db),
    );
    for (const attempt of ["first", "second"]) {
      await expect(connectDatabase(database.options), attempt).rejects.toThrow(
        /from a version of Soul Hub before the first release/,
      );
    }
  });
});
