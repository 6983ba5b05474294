import type { Database } from "@soul-hub/api";
import { testDatabases } from "@soul-hub/api/testing";
import { describe, expect, it } from "vitest";
import { makePlace } from "./testing/server-place.fixture.ts";
import { startServerProcess } from "./testing/server-process.fixture.ts";
import { startWriting } from "./testing/writing.fixture.ts";

const ACKNOWLEDGED = 1_000;
/** How many servers are killed on each database, one after the other. A full run is KILLS=20. */
const KILLS = Number(process.env.KILLS) || 1;

// The tests of both databases run concurrently, because they mostly wait for responses.
describe.concurrent.each(testDatabases())("a server killed during writes (on %s)", (kind) => {
  it("has every acknowledged message, soul and snapshot after a restart, and no partial write", {
    repeats: KILLS - 1,
  }, async () => {
    await using place = await makePlace(kind);
    await using first = await startServerProcess({ ...place.env, DATA_SYNC: "on" });
    const writing = await startWriting(first, await place.adminToken());
    await writing.until(ACKNOWLEDGED);
    await first.kill();
    const { acknowledged, unanswered } = await writing.end();
    // When the server was killed, some calls had no response yet.
    expect(unanswered).toBeGreaterThan(0);
    expect(acknowledged.total).toBeGreaterThanOrEqual(ACKNOWLEDGED);
    for (const kind of ["souls", "updates", "exchanges"] as const) {
      expect(acknowledged[kind].length).toBeGreaterThan(100);
    }

    await using second = await startServerProcess({ ...place.env, DATA_SYNC: "on" });
    // The API keys of all accounts are still valid after the restart.
    await writing.checkThrough(second);
    expect(await second.stop()).toBe(0);

    const database = await place.open();
    try {
      const rows = await readEverything(database);
      const titles = new Map(rows.souls.map(({ id, title }) => [id, title]));
      for (const { id, title } of acknowledged.souls) expect(titles.get(id)).toBe(title);

      // Each acknowledged update has one snapshot, in order. One more snapshot may exist, if the
      // response to its update was lost.
      const snapshots = Map.groupBy(rows.snapshots, ({ soul_id }) => soul_id);
      const updates = Map.groupBy(acknowledged.updates, ({ id }) => id);
      for (const [id, done] of updates) {
        const kept = (snapshots.get(id) ?? []).map(({ title }) => title);
        expect(kept.length - done.length).toBeOneOf([0, 1]);
        const versions = [...kept, titles.get(id)];
        expect(versions).toEqual(versions.map((_, n) => `Version ${n}`));
        expect(done.at(-1)?.title).toBe(`Version ${done.length}`);
      }

      // Every question has its reply. The messages of a room form a chain that ends at the room's
      // head.
      const messages = Map.groupBy(rows.messages, ({ room_id }) => room_id);
      for (const room of rows.rooms) {
        const log = messages.get(room.id) ?? [];
        expect(log.map(({ prev_id }) => prev_id)).toEqual(
          [0, ...log.map(({ id }) => id)].slice(0, -1),
        );
        expect(log.map(({ role }) => role)).toEqual(
          log.map((_, n) => ["user", "assistant"][n % 2]),
        );
        expect(log.length % 2).toBe(0);
        expect(room.head_id).toBe(log.at(-1)?.id);
      }
      const said = new Set(rows.messages.map(({ content }) => content));
      for (const { question, reply } of acknowledged.exchanges) {
        expect([said.has(question), said.has(reply)]).toEqual([true, true]);
      }

      // Every used unit belongs to a stored question and reply, or to a quota hold.
      const used = rows.days.reduce((sum, { used }) => sum + used, 0);
      const held = rows.holds.reduce((sum, { units }) => sum + units, 0);
      expect(used - held).toBe(rows.messages.length / 2);
    } finally {
      await database.close();
    }
  });
});

async function readEverything({ db }: Database) {
  return {
    souls: await db.selectFrom("souls").select(["id", "title"]).execute(),
    snapshots: await db
      .selectFrom("soul_versions")
      .select(["soul_id", "title"])
      .orderBy("id")
      .execute(),
    rooms: await db.selectFrom("chat_rooms").select(["id", "head_id"]).execute(),
    messages: await db
      .selectFrom("chat_messages")
      .select(["id", "room_id", "prev_id", "role", "content"])
      .orderBy("id")
      .execute(),
    days: await db.selectFrom("quota_days").select("used").execute(),
    holds: await db.selectFrom("quota_holds").select("units").execute(),
  };
}
