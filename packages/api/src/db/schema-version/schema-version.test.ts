import { sql } from "kysely";
import { beforeAll, describe, expect, it } from "vitest";
import { connectDatabase } from "../../tables/connect.ts";
import { makeNewer, testDatabases } from "../../testing/test-database.ts";
import { readIdentity } from "../identity.ts";
import { lastingDatabase, revertToFirstRelease } from "../lasting-database.fixture.ts";
import { migrations, OLDEST_APP } from "../migrate.ts";
import { readSchemaVersion } from "./schema-version.ts";

/** The identity as servers of the first release compute it at each start. */
const identityOfFirstRelease = sql<{ id: string }>`
  select md5(extract(epoch from min(executed_at))::text || (
    select oid from pg_database where datname = current_database())) as id
  from mikro_orm_migrations`;

describe.each(testDatabases())("the schema version on %s", (kind) => {
  type Version = Awaited<ReturnType<typeof readSchemaVersion>>;
  let migrated: Version;
  let newer: Version;
  const refused: unknown[] = [];
  // An embedded database takes seconds to open, so each start serves as many tests as it can.
  beforeAll(async () => {
    await using database = await lastingDatabase(kind);
    await database.open(async (db) => {
      migrated = await readSchemaVersion(db);
      await makeNewer({ db }, 99, migrations.length);
    });
    await database.open(async (db) => {
      newer = await readSchemaVersion(db);
      await makeNewer({ db }, 99, 98);
    });
    for (const _ of ["first", "second"]) {
      refused.push(await connectDatabase(database.options).catch((error: unknown) => error));
    }
  });

  it("is the number of migrations, next to the oldest app that can run on it", () => {
    expect(migrated).toEqual({ version: migrations.length, oldest_app: OLDEST_APP });
  });

  it("of a newer release stays as it is while an older app starts", () => {
    expect(newer).toEqual({ version: 99, oldest_app: migrations.length });
  });

  it("refuses an app before the oldest one, and names both versions", () => {
    const refusal = expect.objectContaining({
      code: "SCHEMA_TOO_NEW",
      message: `The database has schema 99, which needs an app of schema 98 or later. This app has schema ${migrations.length}.`,
    });
    expect(refused).toEqual([refusal, refusal]);
  });
});

describe.each(testDatabases())("the identity of a database on %s", (kind) => {
  it("stays the one that servers of the first release use", async () => {
    await using database = await lastingDatabase(kind);
    const before = await database.open(async (db) => {
      await revertToFirstRelease(db);
      const { rows } = await identityOfFirstRelease.execute(db);
      return rows[0]?.id.slice(0, 16);
    });
    expect(before).toMatch(/^[0-9a-f]{16}$/);
    for (const start of ["the upgrade", "the next start"]) {
      expect(await database.open(async (_, id) => id), start).toBe(before);
    }
  });

  it("is a new one if the tables come from another database", async () => {
    await using database = await lastingDatabase(kind);
    const former = await database.open(async (db, id) => {
      await sql`update hub_identity set database_oid = 1`.execute(db);
      return id;
    });
    const renewed = await database.open(readIdentity);
    expect(renewed).toMatch(/^[0-9a-f]{16}$/);
    expect(renewed).not.toBe(former);
    expect(await database.open(readIdentity)).toBe(renewed);
  });
});
