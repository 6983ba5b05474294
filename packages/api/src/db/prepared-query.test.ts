import { sql } from "kysely";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { connectDatabase } from "../tables/connect.ts";
import { openRoom, say, startChatHub } from "../testing/chat-hub.ts";
import { emptyDatabase, testDatabases } from "../testing/test-database.ts";
import type { Db } from "./database.ts";
import { lastingDatabase } from "./lasting-database.fixture.ts";
import { prepareQuery } from "./prepared-query.ts";
import { statementName } from "./statement-watch.ts";

const ROWS = 3_000;

/** Adds accounts, souls and rooms: with few rows, any plan would do. */
async function fill(db: Db): Promise<void> {
  await sql`
    with person as (
      insert into accounts (username, username_key, api_key_hash)
      select 'person-' || n, 'person-' || n, 'key-' || n from generate_series(1, ${ROWS}::int) n
      returning id),
    soul as (
      insert into souls (user_id, title, content, file_type, domain, role)
      select id, 'Soul ' || id, 'I stay.', 'single_md', 'sea', 'Other' from person
      returning id)
    insert into chat_rooms (soul_id, token_hash, token_sealed, owner)
    select id, 'room-' || id, '', 'account:1' from soul`.execute(db);
  await sql`analyze accounts, chat_rooms, souls`.execute(db);
}

describe.each(testDatabases())("prepareQuery on %s", (kind) => {
  it("builds a query once, and runs it with other values", async () => {
    const database = await emptyDatabase(kind);
    onTestFinished(() => database.close());
    const build = vi.fn((name: string, ages: number[]) =>
      database.db
        .selectFrom(sql<{ age: number }>`unnest(${ages}::int[])`.as<"people">(sql`people (age)`))
        .select(["age", sql<string>`${"Hello, "} || ${name}::text || ${name}::text`.as("text")])
        .where("age", ">", sql<number>`${17}::int`),
    );
    // A mock function has no parameters of its own, which prepareQuery counts.
    const greet = prepareQuery(database.db, (name: string, ages: number[]) => build(name, ages));
    expect(await greet("a", [12, 40])).toEqual([{ age: 40, text: "Hello, aa" }]);
    expect(await greet("b", [18])).toEqual([{ age: 18, text: "Hello, bb" }]);
    expect(build).toHaveBeenCalledTimes(1);
  });

  it("refuses a query without one of its values", async () => {
    const database = await emptyDatabase(kind);
    onTestFinished(() => database.close());
    const ofAll = (_ids: number[]) => database.db.selectFrom("souls").select("id");
    expect(() => prepareQuery(database.db, ofAll)).toThrow("A value is missing");
  });

  it("has each connection plan the statements of a chat, an edit and a mark once (0015)", async () => {
    await using lasting = await lastingDatabase(kind);
    await lasting.open(fill);
    const database = await connectDatabase({ ...lasting.options, poolSize: 1 });
    await using hub = await startChatHub({ database });
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);
    // PostgreSQL makes five plans for given values before it decides to keep one for all values.
    for (let n = 0; n < 8; n++) {
      const { body } = await say(vera, room, `Message ${n}`);
      for (const { status } of [
        await vera.put("/api/seen", { ...room, id: body.message_id }),
        await vera.put(`/api/soul/${room.soul_id}`, { content: `I stay for ${n}.` }),
        await vera.post("/api/like", { soul_id: room.soul_id }),
        await vera.post("/api/rate", { soul_id: room.soul_id, rating: 5 }),
      ]) {
        expect(status).toBe(200);
      }
    }
    const { rows } = await sql<{ statement: string; is_kept: boolean }>`
      select statement, generic_plans > 0 as is_kept from pg_prepared_statements`.execute(
      database.db,
    );
    const kept = rows.filter((row) => row.is_kept).map((row) => statementName(row.statement));
    expect(kept).toEqual(
      expect.arrayContaining([
        ...["select accounts", "select souls", "select reserved_rooms"],
        ...["reserve_units", "store_held_reply", "with chat_rooms"],
        ...["change_soul_noted", "set_like", "set_rating"],
      ]),
    );
  });
});
