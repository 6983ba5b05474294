import { Migration, Migrator } from "@mikro-orm/migrations";
import { MikroORM } from "@mikro-orm/postgresql";
import { sql } from "kysely";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { connectDatabase } from "../../tables/connect.ts";
import { eventually } from "../../testing/eventually.ts";
import { testDatabases } from "../../testing/test-database.ts";
import type { Db } from "../database.ts";
import { type LastingDatabase, lastingDatabase } from "../lasting-database.fixture.ts";
import { migrate, migrations } from "../migrate.ts";
import { ConcurrentIndex } from "./concurrent-index.ts";

class LaterColumn extends Migration {
  override name = "9998-later-column";
  override up(): void {
    this.addSql("alter table souls add column later text");
  }
}

class LaterColumns extends Migration {
  override name = "9998-later-columns";
  override up(): void {
    this.addSql("alter table souls add column later text");
    this.addSql("alter table soul_versions add column later text");
  }
}

class LaterIndex extends ConcurrentIndex {
  override name = "9999-later-index";
  override index = "souls_later_index";
  override on = "souls (file_type)";
}

/** The tests append migrations, as the next release does. */
const released = migrations.length;
afterEach(() => {
  migrations.length = released;
});

async function connect(url: string | undefined) {
  const client = new pg.Client(url);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Starts the next release, which migrates the database, and collects its log. */
function startNext({ options }: LastingDatabase) {
  const log: string[] = [];
  const started = connectDatabase({ ...options, log: (line) => log.push(line) });
  return { log, started: started.then((database) => database.close()) };
}

const columnsNamedLater = (db: Db) =>
  sql`select from information_schema.columns where column_name = 'later'`.execute(db);

const laterIndex = sql<{ indisvalid: boolean }>`
  select indisvalid from pg_index where indexrelid = to_regclass('souls_later_index')`;

describe.each(testDatabases())("a new index on an existing table of %s", (kind) => {
  it("replaces what a broken-off build left", async () => {
    await using database = await lastingDatabase(kind);
    await database.open(async (db) => {
      await sql`create index souls_later_index on souls (title)`.execute(db);
    });
    migrations.push(LaterIndex);
    await startNext(database).started;
    const { rows } = await database.open((db) =>
      sql<{ text: string }>`select pg_get_indexdef('souls_later_index'::regclass) as text`.execute(
        db,
      ),
    );
    expect(rows[0]?.text).toContain("(file_type)");
  });
});

describe.skipIf(!inject("services").postgres)("a migration while servers run", () => {
  let database: LastingDatabase;
  beforeEach(async () => {
    database = await lastingDatabase("postgresql");
    await database.open(async () => undefined);
  });
  afterEach(() => database[Symbol.asyncDispose]());

  it("gives up a locked table again and again, so that calls are served meanwhile", async () => {
    await using backup = await connect(database.options.url);
    await using caller = await connect(database.options.url);
    await backup.query("begin; lock table souls in access share mode");
    migrations.push(LaterColumn);
    const next = startNext(database);
    await eventually(async () => {
      const { rows } = await caller.query("select from pg_locks where not granted");
      expect(rows).toHaveLength(1);
    });
    // This read waits behind the migration, which waits for the backup.
    await caller.query("select from souls");
    await eventually(() => expect(next.log.join("\n")).toMatch(/Attempt 1 of \d+ .* lock timeout/));
    await backup.query("commit");
    await next.started;
    const { rows } = await database.open(columnsNamedLater);
    expect(rows).toHaveLength(1);
  });

  it("gives way to a call in a deadlock", async () => {
    await using caller = await connect(database.options.url);
    await using observer = await connect(database.options.url);
    await caller.query("begin; lock table soul_versions in row exclusive mode");
    migrations.push(LaterColumns);
    const next = startNext(database);
    await eventually(async () => {
      const { rows } = await observer.query("select from pg_locks where not granted");
      expect(rows).toHaveLength(1);
    });
    // The migration has locked this table, and waits for the table that the call has locked.
    await caller.query("select from souls");
    await caller.query("commit");
    await next.started;
    expect(next.log.join("\n")).toMatch(/Attempt 1 of \d+ .* lock timeout/);
    const { rows } = await database.open(columnsNamedLater);
    expect(rows).toHaveLength(2);
  });

  it("builds an index while calls write to the table, and anew after it was broken off", async () => {
    await using writer = await connect(database.options.url);
    await using caller = await connect(database.options.url);
    // The build waits for this transaction, because it has written to the table.
    await writer.query("begin; lock table souls in row exclusive mode");
    migrations.push(LaterIndex);
    const killed = startNext(database);
    const building = await eventually(async () => {
      const { rows } = await caller.query(
        "select pid from pg_stat_activity where query like 'create index%' and wait_event_type = 'Lock'",
      );
      expect(rows).toHaveLength(1);
      return rows[0].pid;
    });
    await caller.query("delete from souls");
    // One of two further servers builds the index. The other one waits for the migration lock, and
    // the build must not wait for it.
    const further = [startNext(database), startNext(database)];
    await caller.query("select pg_terminate_backend($1)", [building]);
    await expect(killed.started).rejects.toThrow();
    await eventually(async () => {
      const { rows } = await caller.query("select from pg_index where not indisvalid");
      expect(rows).toHaveLength(1);
    });
    await writer.query("commit");
    await Promise.all(further.map(({ started }) => started));
    const { rows } = await database.open((db) => laterIndex.execute(db));
    expect(rows).toEqual([{ indisvalid: true }]);
  });

  it("fills another schema of the same database", async () => {
    await using client = await connect(database.options.url);
    await client.query("create schema another");
    const orm = await MikroORM.init({
      entities: [],
      discovery: { warnWhenNoEntities: false },
      extensions: [Migrator],
      migrations: { migrationsList: migrations, snapshot: false, allOrNothing: false },
      clientUrl: database.options.url ?? "",
      schema: "another",
      driverOptions: { options: "-c search_path=another,public" },
      logger: () => undefined,
    });
    await migrate(orm, orm.em.getKysely() as unknown as Db).finally(() => orm.close());
    const { rows } = await client.query(
      "select table_schema, array_agg(table_name::text order by table_name) as tables from information_schema.tables where table_schema in ('public', 'another') group by 1",
    );
    expect(rows).toHaveLength(2);
    expect(rows[0].tables).toContain("hub_identity");
    expect(rows[0].tables).toEqual(rows[1].tables);
  });
});
