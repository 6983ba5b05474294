import { CompiledQuery, sql } from "kysely";
import { describe, expect, it, vi } from "vitest";
import type { Db } from "../../db/database.ts";
import { openRoom } from "../../testing/chat-hub.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { WINDOW_MESSAGES } from "../prompt/prompt.ts";
import { createMemoryReads, readMemoryTo } from "../prompt/room-memory.queries.ts";
import { readAfter, readNewest, readPath } from "../rows/chat-room.queries.ts";
import { roomKey } from "../rows/room-key.ts";

const NEWEST = 200;
const ROOMS = 2_000;

/** Runs `read`, and returns how many buffers its only query touches. */
async function countBuffers(db: Db, read: (db: Db) => Promise<unknown>): Promise<number> {
  // The hub's own queries use another executor.
  const own = db.withoutPlugins();
  const execute = vi.spyOn(own.getExecutor(), "executeQuery");
  await read(own);
  const [query, ...others] = execute.mock.calls.map(([executed]) => executed);
  if (!query || others.length > 0) throw new Error("This read is not one query.");
  const explain = `explain (analyze, buffers, format json) ${query.sql}`;
  const { rows } = await db.executeQuery<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>(
    CompiledQuery.raw(explain, [...query.parameters]) as CompiledQuery<never>,
  );
  const plan = rows[0]?.["QUERY PLAN"][0].Plan;
  return (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0);
}

/** Decision 0032: in each round, adds one message to the long room, and 60 to others. */
const addMessages = (db: Db, { from, to }: { from: number; to: number }) =>
  sql`
  insert into chat_messages (id, room_id, prev_id, role, sender, sender_name, content)
  select round * 61 + nth, case nth when 0 then 1 else 2 + (round * 60 + nth) % ${ROOMS - 1}::int end,
    case nth when 0 then greatest(0, (round - 1) * 61) else round * 61 + nth - 1 end,
    'user', 'account:1', 'vera', repeat('The lamp is lit. ', 4) || round
  from generate_series(${from}::int, ${to}::int) round, generate_series(0, 60) nth
  order by round, nth`.execute(db);

describe.runIf(testDatabases().includes("postgresql"))("a read of a room", () => {
  it("touches as many buffers as it returns messages, and at most 20 more", async () => {
    await using hub = await startTestHub({ database: "postgresql" });
    const { db } = hub.hub.database;
    const { soul_id } = await openRoom(await hub.vip("vera"));
    const key = roomKey({ soul_id, session_token: "lobby" });
    await sql`
      insert into chat_rooms (id, soul_id, token_hash, token_sealed, owner)
      select n, ${soul_id}, case n when 1 then ${key.split("/")[1]} else 'room ' || n end,
        '', 'account:1'
      from generate_series(1, ${ROOMS}::int) n`.execute(db);
    const reads = {
      newest: (read: Db) => readNewest(read, key, NEWEST),
      after: (read: Db) => readAfter(read, key, 0, NEWEST),
      memory: (read: Db) => createMemoryReads(read)(key),
    };
    for (const rounds of [
      { from: 1, to: 300 },
      { from: 301, to: 2_000 },
    ]) {
      await addMessages(db, rounds);
      await sql`analyze chat_messages, chat_rooms`.execute(db);
      const counts = {
        newest: await countBuffers(db, reads.newest),
        after: await countBuffers(db, reads.after),
        memory: await countBuffers(db, reads.memory),
      };
      console.log(`buffers after ${rounds.to} rounds:`, counts);
      // Fewer buffers would mean that messages of one room share pages.
      expect(Math.min(counts.newest, counts.after)).toBeGreaterThan(NEWEST);
      expect(Math.max(counts.newest, counts.after)).toBeLessThanOrEqual(NEWEST + 20);
      // The refusals of the room's owner are searches of two more tables (0063, 0064).
      expect(counts.memory).toBeLessThanOrEqual(WINDOW_MESSAGES + 20 + 4);
    }

    // Every 25th message of the long room begins a branch four messages before.
    await sql`
      update chat_messages set parent_id = id - 4 * 61
      where room_id = 1 and id % (25 * 61) = 0`.execute(db);
    await sql`update chat_rooms set is_branched = true, head_id = 2000 * 61 where id = 1`.execute(
      db,
    );
    // In other rooms, every fifth message was edited.
    await sql`
      update chat_messages set revision = id, edited_at = hub_now()
      where room_id > 1 and id % 5 = 0`.execute(db);
    await sql`analyze chat_messages, chat_rooms`.execute(db);
    const branched = {
      path: await countBuffers(db, (read) => readPath(read, key, NEWEST)),
      memory: await countBuffers(db, reads.memory),
      memoryTo: await countBuffers(db, (read) => readMemoryTo(read, 1, 2_000 * 61)),
    };
    console.log("buffers of a room that has branched:", branched);
    // Each of the path's 10 ranges is two searches of an index.
    expect(branched.path).toBeLessThanOrEqual(NEWEST + 20 + 10 * 8);
    expect(branched.memory).toBeLessThanOrEqual(WINDOW_MESSAGES + 20 + 2 * 8);
    // The search for edited messages reads no unchanged ones.
    expect(branched.memoryTo).toBeLessThanOrEqual(WINDOW_MESSAGES + 100);
  });
});
