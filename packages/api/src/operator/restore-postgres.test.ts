import { randomBytes } from "node:crypto";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { postgresCopy } from "../archive/postgres-copy.ts";
import { openArchive, openArchiveFile } from "../archive/read-archive.ts";
import { writeArchive } from "../archive/write-archive.ts";
import { connectDatabase } from "../tables/connect.ts";
import { createPostgresDatabase } from "../testing/own-database.ts";
import { testDatabases } from "../testing/test-database.ts";
import { restorePostgres } from "./restore-postgres.ts";

const RELEASE_1 = path.join(import.meta.dirname, "../db/archives/0.1.0-schema-1.hub");

/** Restores the archive of the first release. */
const restore = async (url: string, replace = false) =>
  restorePostgres(await openArchiveFile(RELEASE_1), { url, replace, watchMs: 0 });

async function query<Row>(url: string, statement: string): Promise<Row[]> {
  await using port = await postgresCopy(url);
  return await port.query<Row>(statement);
}
const usernames = async (url: string) =>
  (await query<{ username: string }>(url, "select username from accounts order by 1")).map(
    ({ username }) => username,
  );

/** Reads the owners and privileges of the hub's objects that differ from PostgreSQL's default. */
const readRights = (url: string) =>
  query(
    url,
    `select relname::text as name, pg_get_userbyid(relowner)::text as owner, relacl::text as rights
    from pg_class
    where relnamespace = 'public'::regnamespace and (relacl is not null or relowner <> current_user::regrole)
      and relkind in ('r', 'S')
    union all
    select relname || '.' || attname, '', attacl::text
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and attacl is not null
    union all
    select proname, pg_get_userbyid(proowner), proacl::text
    from pg_proc where pronamespace = 'public'::regnamespace and proacl is not null
    order by name`,
  );

/** Decision 0028, on a server of PostgreSQL. */
describe.runIf(testDatabases().includes("postgresql"))("a restore into PostgreSQL", () => {
  it("keeps the former tables in a schema of their own", async () => {
    const url = await createPostgresDatabase();
    await query(url, "insert into accounts (username, username_key) values ('eve', 'eve')");
    await expect(restore(url)).rejects.toMatchObject({ code: "target_not_empty" });
    expect(await usernames(url)).toEqual(["eve"]);

    const { former } = await restore(url, true);
    expect(former).toMatch(/^the schema before_\d{8}_\d{6}$/);
    expect(await usernames(url)).toEqual(["ada", "ben"]);
    const schema = former?.split(" ").at(-1);
    const kept = await query<{ username: string }>(url, `select username from ${schema}.accounts`);
    expect(kept).toEqual([{ username: "eve" }]);
    const database = await connectDatabase({ url });
    await database.close();
  });

  it("keeps owners and grants", async () => {
    const url = await createPostgresDatabase();
    const suffix = randomBytes(4).toString("hex");
    const [owner, reader] = [`owner_${suffix}`, `reader_${suffix}`];
    try {
      for (const statement of [
        `create role ${owner}`,
        `create role ${reader}`,
        `alter table souls owner to ${owner}`,
        `grant select on souls to ${reader} with grant option`,
        `grant select (username), update (email) on accounts to ${reader}`,
        `grant usage on sequence souls_id_seq to ${reader}`,
        "grant select on likes to public",
        "revoke execute on function hub_now from public",
        `grant execute on function hub_now to ${reader}`,
      ]) {
        await query(url, statement);
      }
      const before = await readRights(url);
      expect(before).toHaveLength(6);
      await restore(url, true);
      expect(await readRights(url)).toEqual(before);
      // A new object must not lose the rights that PostgreSQL gives by default.
      const [row] = await query<{ may: boolean }>(
        url,
        `select has_function_privilege('${reader}', oid, 'execute') as may
        from pg_proc where proname = 'toggle_like' and pronamespace = 'public'::regnamespace`,
      );
      expect(row?.may).toBe(true);
    } finally {
      for (const role of [owner, reader]) {
        await query(url, `reassign owned by ${role} to current_user`);
        await query(url, `drop owned by ${role}`);
        await query(url, `drop role ${role}`);
      }
    }
  });

  it("refuses a database that a hub uses, and changes nothing", async () => {
    const url = await createPostgresDatabase();
    const hub = await connectDatabase({ url });
    await sql`select 1`.execute(hub.db);
    await expect(restore(url, true)).rejects.toMatchObject({ code: "target_in_use" });
    expect(await usernames(url)).toEqual([]);
    await hub.close();
  });

  it("refuses a role whose first schema is another one", async () => {
    const url = await createPostgresDatabase("none");
    await query(url, "create schema elsewhere");
    const [{ name } = { name: "" }] = await query<{ name: string }>(
      url,
      "select current_database() as name",
    );
    await query(url, `alter database ${name} set search_path = elsewhere, public`);
    await expect(restore(url)).rejects.toMatchObject({ code: "target_refused" });
  });

  it("leaves the tables of other programs out", async () => {
    const source = await createPostgresDatabase();
    await query(source, 'create table "Other-Program" (id serial, note text)');
    await query(source, `insert into "Other-Program" (note) values ('not of the hub')`);
    await using port = await postgresCopy(source);
    const output = new PassThrough();
    const [archive] = await Promise.all([
      buffer(output),
      writeArchive(port, { app: "0.1.0", keys: [] }, output),
    ]);
    const target = await createPostgresDatabase("none");
    const backup = await openArchive(Readable.from([archive]));
    await restorePostgres(backup, { url: target, replace: false, watchMs: 0 });
    const tables = await query<{ name: string }>(
      target,
      "select relname as name from pg_class where relname = 'Other-Program'",
    );
    expect(tables).toEqual([]);
  });
});
