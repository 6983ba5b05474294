import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { connectDatabase } from "../tables/connect.ts";
import type { Actor } from "../testing/actor.ts";
import { type ChatHub, openRoom, type RoomName, say, startChatHub } from "../testing/chat-hub.ts";
import { testDatabases } from "../testing/test-database.ts";
import { lastingDatabase } from "./lasting-database.fixture.ts";

/**
 * Calls whose statements are prepared: writes, locks, SQL functions, and reads of callers, souls and
 * rooms. Returns their statuses.
 */
async function write({ provider }: ChatHub, vera: Actor, room: RoomName): Promise<number[]> {
  const answers = [await say(vera, room, "Is it dark?")];
  // A failed reply deletes its quota hold and refunds the units.
  provider.failNext({ status: 400 });
  answers.push(await say(vera, room, "And now?"));
  const key = { provider: "openai-compatible", api_key: "sk-own", base_url: provider.url };
  answers.push(
    await vera.put("/api/byok", { ...key, text_model: "own-model" }),
    await vera.post("/api/like", { soul_id: room.soul_id }),
    await vera.put(`/api/soul/${room.soul_id}`, { title: "Orla" }),
    await vera.post("/api/rate", { soul_id: room.soul_id, rating: 5 }),
    await vera.get(`/api/chat?soul_id=${room.soul_id}&session_token=${room.session_token}`),
  );
  return answers.map(({ status }) => status);
}

describe.each(testDatabases())("a hub on %s", (kind) => {
  it("continues to write while a newer release adds columns to its tables", async () => {
    await using lasting = await lastingDatabase(kind);
    // With one connection, the second calls run the statements that the first ones prepared.
    const database = await connectDatabase({ ...lasting.options, poolSize: 1 });
    await using hub = await startChatHub({ database });
    const vera = await hub.vip("vera");
    const room = await openRoom(vera);
    const before = await write(hub, vera, room);
    expect(before).toEqual([200, 502, 200, 200, 200, 200, 200]);
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_stat_user_tables`.execute(database.db);
    for (const { name } of rows) {
      await sql`alter table ${sql.table(name)} add column added_later text`.execute(database.db);
    }
    expect(await write(hub, vera, room)).toEqual(before);
    expect(hub.log.filter((line) => line.includes("cached plan"))).toEqual([]);
  });
});
