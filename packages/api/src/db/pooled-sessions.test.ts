import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, inject, it } from "vitest";
import { connectDatabase } from "../tables/connect.ts";
import { openRoom, say, startChatHub } from "../testing/chat-hub.ts";
import { runOnServer } from "../testing/database-template.ts";
import { ownPostgresDatabase } from "../testing/own-database.ts";
import { startPgbouncer } from "../testing/servers/own-pgbouncer.ts";
import { startTestHub } from "../testing/test-hub.ts";

const { postgres = "", pgbouncer } = inject("services");

const WRITERS = 40;
const WRITES_EACH = 5;

/** Decision 0032: PgBouncer in transaction mode gives each transaction any server connection. */
describe.skipIf(!(postgres && pgbouncer))("a hub behind PgBouncer in transaction mode", () => {
  it("answers concurrent writes and chats over few server connections", async () => {
    await using own = await ownPostgresDatabase();
    await using pooler = await startPgbouncer({ server: postgres });
    const open = () =>
      connectDatabase({ url: pooler.through(own.url), directUrl: own.url, pooler: "transaction" });
    await using hub = await startChatHub({ database: await open() });
    await using other = await startTestHub({ database: await open() });

    const ada = await hub.vip("ada");
    const room = await openRoom(ada);
    const statuses = await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const person = await (writer % 2 ? hub : other).member(`writer-${writer}`);
        const { body } = await person.post("/api/souls", { title: "Soul 0", content: "I stay." });
        const answers: number[] = [];
        for (let n = 1; n <= WRITES_EACH; n++) {
          answers.push((await person.put(`/api/soul/${body.id}`, { title: `Soul ${n}` })).status);
          answers.push((await person.post("/api/like", { soul_id: room.soul_id })).status);
        }
        answers.push((await say(ada, room, `Message ${writer}`)).status);
        return answers;
      }),
    );
    expect(new Set(statuses.flat())).toEqual(new Set([200]));

    const { rows } = await runOnServer(
      postgres,
      `select 1 from pg_stat_activity where datname = '${new URL(own.url).pathname.slice(1)}'`,
    );
    expect(rows.length).toBeLessThanOrEqual(4);
  });

  it("has its settings, whatever those of PostgreSQL, and with a role of its own", async () => {
    await using own = await ownPostgresDatabase();
    const database = new URL(own.url).pathname.slice(1);
    const role = `Hub "${randomBytes(4).toString("hex")}"`;
    const quoted = `"${role.replaceAll('"', '""')}"`;
    const { rows } = await runOnServer(postgres, "select current_user as name");
    await runOnServer(postgres, `create role ${quoted} login in role "${rows[0].name}"`);
    try {
      await using pooler = await startPgbouncer({ server: postgres, role });
      await runOnServer(postgres, `alter database ${database} set timezone = 'America/St_Johns'`);
      await runOnServer(postgres, `alter database ${database} set datestyle = 'German'`);
      const url = new URL(pooler.through(own.url));
      url.username = encodeURIComponent(role);
      const { db, close } = await connectDatabase({
        url: url.href,
        directUrl: own.url,
        pooler: "transaction",
        queryTimeoutMs: 1_500,
      });
      const found = await sql`
        select session_user as role, current_setting('timezone') as zone,
          current_setting('datestyle') as dates, current_setting('work_mem') as memory,
          current_setting('jit') as jit, current_setting('statement_timeout') as timeout`.execute(
        db,
      );
      await close();
      expect(found.rows).toEqual([
        { role, zone: "UTC", dates: "ISO, YMD", memory: "32MB", jit: "off", timeout: "1500ms" },
      ]);
    } finally {
      await runOnServer(postgres, `drop role ${quoted}`);
    }
  });

  it("starts only after old server connections without its settings are gone", async () => {
    await using own = await ownPostgresDatabase();
    await using pooler = await startPgbouncer({ server: postgres });
    const url = pooler.through(own.url);
    await runOnServer(url, "select 'opens a server connection'");
    const open = () => connectDatabase({ url, directUrl: own.url, pooler: "transaction" });
    await expect(open()).rejects.toMatchObject({ code: "POOLED_SETTINGS" });
    await pooler.reconnect();
    await (await open()).close();
  });

  it("does not start if the pooler leads to another database", async () => {
    await using own = await ownPostgresDatabase();
    await using other = await ownPostgresDatabase();
    await using pooler = await startPgbouncer({ server: postgres });
    const opening = connectDatabase({
      url: pooler.through(other.url),
      directUrl: own.url,
      pooler: "transaction",
    });
    await expect(opening).rejects.toMatchObject({ code: "OTHER_DATABASE" });
  });
});

describe.skipIf(!postgres)("a hub behind a pooler that keeps prepared statements", () => {
  it("names them", async () => {
    await using own = await ownPostgresDatabase();
    const options = { url: own.url, directUrl: own.url, pooler: "prepared" } as const;
    const { db, close } = await connectDatabase(options);
    const names = await db.connection().execute(async (session) => {
      await sql`delete from domain_tags where false`.execute(session);
      return (await sql`select name from pg_prepared_statements`.execute(session)).rows;
    });
    await close();
    expect(names).toEqual([{ name: expect.stringMatching(/^hub_\d+$/) }]);
  });

  it("names at most 200 per connection, whatever other connections have named", async () => {
    await using own = await ownPostgresDatabase();
    const options = { url: own.url, directUrl: own.url, pooler: "prepared" } as const;
    const { db, close } = await connectDatabase(options);
    const countAfter = (statements: number) =>
      db.connection().execute(async (session) => {
        for (let n = 0; n < statements; n++) {
          await sql`delete from domain_tags where uses = ${sql.lit(-n)}`.execute(session);
        }
        return (await sql`select name from pg_prepared_statements`.execute(session)).rows.length;
      });
    // Both sessions are open at once, so they are two connections.
    const counts = await Promise.all([countAfter(210), countAfter(10)]);
    await close();
    expect(counts).toEqual([200, 10]);
  });
});
