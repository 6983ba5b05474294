import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { ownPostgresDatabase } from "../testing/own-database.ts";
import {
  copyEmbeddedTemplate,
  type DatabaseKind,
  testDatabases,
} from "../testing/test-database.ts";
import { connectDatabase } from "./connect.ts";
import type { DatabaseOptions, Db } from "./database.ts";

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** Creates a database that keeps its data between connections, and returns its options. */
async function newDatabase(kind: DatabaseKind): Promise<DatabaseOptions> {
  if (kind === "postgresql") {
    const own = await ownPostgresDatabase("none");
    cleanUps.push(async () => own[Symbol.asyncDispose]());
    return { url: own.url };
  }
  const directory = await mkdtemp(path.join(tmpdir(), "hub-migrations-"));
  await copyEmbeddedTemplate(directory);
  cleanUps.push(() => rm(directory, { recursive: true }));
  return { directory };
}

/** Opens a database, which also migrates it, runs `work`, then closes the database. */
async function inDatabase<T>(options: DatabaseOptions, work: (db: Db) => Promise<T>): Promise<T> {
  const database = await connectDatabase(options);
  return work(database.db).finally(() => database.close());
}

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
    const options = await newDatabase(kind);
    const body = await inDatabase(options, readMoveDomainTag);
    await inDatabase(options, async (db) => {
      await replaceMoveDomainTag(db);
      await sql`create or replace function hub_now() returns timestamptz
        language sql stable as 'select now() + interval ''0'''`.execute(db);
    });
    await inDatabase(options, async (db) => {
      expect(await readMoveDomainTag(db)).toBe(body);
      const { rows } = await sql<{ body: string }>`
        select prosrc as body from pg_proc where proname = 'hub_now'`.execute(db);
      expect(rows[0]?.body).toContain("interval '0'");
    });
  });

  it("leaves SQL functions of a newer schema alone", async () => {
    const options = await newDatabase(kind);
    await inDatabase(options, async (db) => {
      await replaceMoveDomainTag(db);
      await sql`insert into mikro_orm_migrations (name) values ('9999-later')`.execute(db);
    });
    expect(await inDatabase(options, readMoveDomainTag)).toBe("select");
  });

  it("refuses a database from before the first release on each start", async () => {
    const options = await newDatabase(kind);
    await inDatabase(options, (db) =>
      sql`update mikro_orm_migrations set name = '0001-first-tables'`.execute(db),
    );
    for (const attempt of ["first", "second"]) {
      await expect(connectDatabase(options), attempt).rejects.toThrow(
        /from a version of Soul Hub before the first release/,
      );
    }
  });
});
