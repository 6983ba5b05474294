import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sweepQuotaHolds } from "../../quota/quota-hold.service.ts";
import { type Actor, createActor } from "../../testing/actor.ts";
import {
  type ChatHub,
  failureOf,
  history,
  openRoom,
  type RoomName,
  remaining,
  say,
  startChatHub,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { type StoringFaults, withStoringFaults } from "../../testing/storing-faults.ts";
import { emptyDatabase, testDatabases } from "../../testing/test-database.ts";

/** docs/decisions/0023: an exchange is both stored and charged, exactly once, or neither. */
describe.each(testDatabases())("storing an exchange (on %s)", (kind) => {
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

  const messages = async () =>
    (await history(vera, room)).body.messages.map(({ content }: { content: string }) => content);
  const holds = () => hub.hub.database.db.selectFrom("quota_holds").selectAll().execute();
  const firstLoss = () => eventually(() => expect(faults.count).toBeGreaterThan(0));

  it.each(["statements", "responses"] as const)(
    "stores and charges it once if %s are lost, including the room's first",
    async (what) => {
      for (const lines of [2, 4]) {
        const left = await remaining(vera);
        const losses = faults.count;
        faults.lose(what);
        const sent = say(vera, room, "Is it dark?");
        await eventually(() => expect(faults.count).toBeGreaterThan(losses));
        faults.lose("nothing");
        expect((await sent).status).toBe(200);
        await faults.arrive();
        expect(await messages()).toHaveLength(lines);
        expect([await remaining(vera), await holds()]).toEqual([left - 1, []]);
      }
    },
  );

  it.each([
    ["the room's first exchange", 0],
    ["a later exchange", 1],
  ])("never stores a refunded exchange with a late statement: %s", async (_, before) => {
    if (before > 0) await say(vera, room, "Hello.");
    const left = await remaining(vera);
    faults.lose("statements");
    const sent = say(vera, room, "Is it dark?");
    await firstLoss();
    await hub.hub.drain();
    expect(failureOf(await sent)).toEqual([503, "overloaded"]);
    faults.lose("nothing");
    await faults.arrive();
    await using next = await startChatHub({ database: faults.database });
    vera = createActor({ ...vera, baseUrl: () => next.url });
    expect(await messages()).toHaveLength(2 * before);
    expect([await remaining(vera), await holds()]).toEqual([left, []]);
    const rooms = await hub.hub.database.db.selectFrom("chat_rooms").select("head_id").execute();
    expect(rooms).toHaveLength(before);
  });

  it("responds with the stored reply if the room was made private since", async () => {
    await say(vera, room, "Hello.");
    const wim = await hub.vip("wim");
    const left = await remaining(wim);
    faults.lose("responses");
    const sent = say(wim, room, "Is it dark?");
    await firstLoss();
    // The room becomes private when its owner's message is accepted, even though the model call
    // fails.
    hub.provider.failNext({ status: 400 });
    expect((await say(vera, room, "Just us.", { is_private: true })).status).toBe(502);
    faults.lose("nothing");
    expect((await sent).status).toBe(200);
    expect(await messages()).toHaveLength(4);
    expect([await remaining(wim), await holds()]).toEqual([left - 1, []]);
  });

  it("stores an exchange at no cost if its hold was swept, even after an equal one", async () => {
    await say(vera, room, "Hello.");
    const left = await remaining(vera);
    const release = hub.provider.holdNext();
    const sent = say(vera, room, "Hello.");
    await hub.provider.received(2);
    await hub.hub.database.db
      .updateTable("quota_holds")
      .set({ expires_at: "2020-01-01" })
      .execute();
    expect(await sweepQuotaHolds(hub.hub.database.db)).toBe(1);
    faults.lose("responses");
    release();
    await firstLoss();
    faults.lose("nothing");
    expect((await sent).status).toBe(200);
    const [question, reply] = await messages();
    expect(await messages()).toEqual([question, reply, question, reply]);
    expect([await remaining(vera), await holds()]).toEqual([left, []]);
  });
});
