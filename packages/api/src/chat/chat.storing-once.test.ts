import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sweepQuotaHolds } from "../quota/quota-hold.service.ts";
import { type Actor, createActor } from "../testing/actor.ts";
import {
  type ChatHub,
  history,
  openRoom,
  type RoomName,
  remaining,
  say,
  startChatHub,
} from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import { type StoringFaults, withStoringFaults } from "../testing/storing-faults.ts";
import { emptyDatabase, testDatabases } from "../testing/test-database.ts";

/** Docs/decisions/0023: an exchange is stored and charged, or neither, whatever gets lost or is late. */
describe.each(testDatabases())("an exchange (on %s)", (kind) => {
  let faults: StoringFaults;
  let hub: ChatHub;
  let vera: Actor;
  let room: RoomName;
  beforeEach(async () => {
    faults = withStoringFaults(await emptyDatabase(kind));
    hub = await startChatHub({ database: faults.database });
    vera = await hub.vip("vera");
    room = await openRoom(vera);
  });
  afterEach(() => hub.close());

  const linesOf = async () =>
    (await history(vera, room)).body.messages.map(({ content }: { content: string }) => content);
  const holds = () => hub.hub.database.db.selectFrom("quota_holds").selectAll().execute();
  const lost = () => eventually(() => expect(faults.count).toBeGreaterThan(0));

  it.each(["statements", "answers"] as const)(
    "whose %s get lost is there once and charged once, as the room's first too",
    async (what) => {
      for (const lines of [2, 4]) {
        const left = await remaining(vera);
        const seen = faults.count;
        faults.lose(what);
        const asked = say(vera, room, "Is it dark?");
        await eventually(() => expect(faults.count).toBeGreaterThan(seen));
        faults.lose("nothing");
        expect((await asked).status).toBe(200);
        await faults.arrive();
        expect(await linesOf()).toHaveLength(lines);
        expect([await remaining(vera), await holds()]).toEqual([left - 1, []]);
      }
    },
  );

  it.each([
    ["a room's first", 0],
    ["a later one", 1],
  ])(
    "whose units were given back, %s, is not stored by a statement that comes later",
    async (_, before) => {
      if (before > 0) await say(vera, room, "Hello.");
      const left = await remaining(vera);
      faults.lose("statements");
      const asked = say(vera, room, "Is it dark?");
      await lost();
      await hub.hub.drain();
      expect((await asked).status).toBe(503);
      faults.lose("nothing");
      await faults.arrive();
      await using next = await startChatHub({ database: faults.database });
      vera = createActor({ ...vera, baseUrl: () => next.url });
      expect(await linesOf()).toHaveLength(2 * before);
      expect([await remaining(vera), await holds()]).toEqual([left, []]);
      const rooms = await hub.hub.database.db.selectFrom("chat_rooms").select("head_id").execute();
      expect(rooms).toHaveLength(before);
    },
  );

  it("that was stored is answered though the room was made private since", async () => {
    await say(vera, room, "Hello.");
    const wim = await hub.vip("wim");
    const left = await remaining(wim);
    faults.lose("answers");
    const asked = say(wim, room, "Is it dark?");
    await lost();
    // Private from its acceptance on, also where the call fails.
    hub.provider.failNext({ status: 400 });
    expect((await say(vera, room, "Just us.", { is_private: true })).status).toBe(502);
    faults.lose("nothing");
    expect((await asked).status).toBe(200);
    expect(await linesOf()).toHaveLength(4);
    expect([await remaining(wim), await holds()]).toEqual([left - 1, []]);
  });

  it("whose hold was swept is stored for nothing, also where it says what was said before", async () => {
    await say(vera, room, "Hello.");
    const left = await remaining(vera);
    const speak = hub.provider.holdNext();
    const asked = say(vera, room, "Hello.");
    await hub.provider.received(2);
    await hub.hub.database.db
      .updateTable("quota_holds")
      .set({ expires_at: "2020-01-01" })
      .execute();
    expect(await sweepQuotaHolds(hub.hub.database.db)).toBe(1);
    faults.lose("answers");
    speak();
    await lost();
    faults.lose("nothing");
    expect((await asked).status).toBe(200);
    const [question, reply] = await linesOf();
    expect(await linesOf()).toEqual([question, reply, question, reply]);
    expect([await remaining(vera), await holds()]).toEqual([left, []]);
  });
});
