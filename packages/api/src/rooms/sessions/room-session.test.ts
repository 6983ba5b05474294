import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HubError } from "../../errors.ts";
import { HUB_CHANNEL } from "../bus/room-bus.ts";
import { fakeLog, fakeTime, member, pass, ROOM, settle, testRooms } from "../room.fixture.ts";

beforeEach(() => void fakeTime());
afterEach(() => void vi.useRealTimers());

const ada = member("ada");
const bob = member("bob");

describe("authority", () => {
  it("does not count an unauthorised participant, and does not open the room", async () => {
    const hub = testRooms();
    const denied = new HubError("private_session");
    const reader = hub.join(ada, { authorize: () => Promise.reject(denied) });
    await settle();
    expect(reader).toMatchObject({ error: denied, types: [] });
    expect(hub.rooms.counts()).toMatchObject({ sessions: 0, subscriptions: 0 });
    expect(hub.store.rooms).toBe(0);
  });

  it("ends an unauthorised session before the next event is sent", async () => {
    const hub = testRooms();
    let isPrivate = false;
    const authorize = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (isPrivate) throw new HubError("private_session");
    };
    const [owner, stranger] = [hub.join(ada), hub.join(bob, { authorize })];
    // Waits until the owner's and the stranger's sessions have joined the broadcast group.
    await pass(1_000);
    isPrivate = true;
    hub.rooms.recheck(ROOM);
    hub.post("secret");
    await pass(5);
    expect(owner.ids).toEqual([1]);
    expect(stranger.ids).toEqual([]);
    expect(stranger.error).toMatchObject({ code: "private_session" });
    expect(hub.rooms.counts().sessions).toBe(1);
  });

  /** Lets ada join a test room whose check of rights can be made to fail. */
  function joined() {
    const hub = testRooms();
    const authorize = vi.fn(async () => {});
    return { hub, authorize, reader: hub.join(ada, { authorize }) };
  }

  it("rechecks within 40 s", async () => {
    const { authorize } = joined();
    await pass(40_000);
    expect(authorize).toHaveBeenCalledTimes(2);
  });

  it("keeps the session while a check can't be made, for less than a minute", async () => {
    const { hub, authorize, reader } = joined();
    await pass(1_000);
    authorize.mockRejectedValueOnce(new Error("database down"));
    await pass(60_000);
    expect(authorize.mock.calls.length).toBeGreaterThanOrEqual(3);
    expect(reader.error).toBeUndefined();
    authorize.mockRejectedValue(new Error("database down"));
    await pass(60_000);
    expect(reader.error).toMatchObject({ code: "overloaded" });
    expect(hub.rooms.counts().sessions).toBe(0);
  });

  it("ends the session if a repeated check finds that the right is lost", async () => {
    const { authorize, reader } = joined();
    await pass(1_000);
    authorize.mockRejectedValueOnce(new Error("database down"));
    authorize.mockRejectedValueOnce(new HubError("private_session"));
    await pass(50_000);
    expect(reader.error).toMatchObject({ code: "private_session" });
  });

  it.each([
    [{ participantId: "u:ada" }, 1, 0],
    // Servers of schema 25 send one prefix.
    [{ roomPrefix: "1:" }, 1, 1],
    [{ roomPrefix: "2:" }, 0, 0],
    [{ roomPrefixes: ["2:", "10:", "1:"] }, 1, 1],
    [{ roomPrefixes: ["2:", "10:"] }, 0, 0],
  ])("rechecks %j over all rooms", async (scope, adaAsked, bobAsked) => {
    const hub = testRooms();
    const [adaMay, bobMay] = [vi.fn(async () => {}), vi.fn(async () => {})];
    hub.join(ada, { authorize: adaMay });
    hub.join(bob, { authorize: bobMay });
    await settle();
    await hub.bus.publish(HUB_CHANNEL, { kind: "recheck", from: "n2", ...scope });
    await settle();
    expect(adaMay).toHaveBeenCalledTimes(1 + adaAsked);
    expect(bobMay).toHaveBeenCalledTimes(1 + bobAsked);
  });
});

describe("a slow client", () => {
  /** Lets a client join a test room and stop reading after its sync event. */
  async function stalled(limits = {}) {
    const hub = testRooms({ limits });
    const reader = hub.join(ada);
    await settle();
    reader.stall();
    return { hub, reader };
  }

  it("loses typing events and deltas, and receives every message", async () => {
    const { hub, reader } = await stalled({ TRANSIENT_QUEUE_MAX: 10, BUFFER_MESSAGES: 4 });
    const quick = hub.join(bob);
    await settle();
    const reply = hub.rooms.startReply(ROOM, { reply_id: "r", sender_name: "ada", content: "" });
    for (let n = 0; n < 10; n++) {
      reply.delta("x");
      await pass(40);
    }
    for (let n = 0; n < 20; n++) hub.post();
    reply.done(20);
    await settle();
    expect(reader.ids).toEqual([]);
    reader.resume();
    await settle();
    expect(reader.types.filter((type) => type !== "presence").slice(0, 2)).toEqual([
      "sync",
      "asked",
    ]);
    expect(reader.ids).toEqual(quick.ids);
    expect(reader.ids).toHaveLength(20);
    expect(reader.types.slice(-2)).toEqual(["reply-done", "changed"]);
    expect(reader.of("reply-delta").length).toBeLessThan(10);
    // The client that reads at full speed still receives every delta.
    expect(quick.of("reply-delta")).toHaveLength(10);
  });

  it("receives no event twice while it catches up", async () => {
    let release = () => {};
    let reading: Promise<void> | undefined;
    const log = fakeLog(undefined, () => reading ?? Promise.resolve());
    const hub = testRooms({ log, limits: { BUFFER_MESSAGES: 4 } });
    const [slow, quick] = [hub.join(ada), hub.join(bob)];
    await pass(1_000);
    slow.stall();
    for (let n = 0; n < 20; n++) hub.post();
    await settle();
    reading = new Promise((resolve) => {
      release = resolve;
    });
    slow.resume();
    await settle();
    // Ends the slow client's read of the log just as two new events arrive. Neither may be sent
    // twice.
    release();
    hub.rooms.typing(ROOM, member("eve"));
    hub.post();
    reading = undefined;
    await pass(1_000);
    hub.post();
    await settle();
    expect(slow.ids).toEqual(quick.ids);
    expect(slow.ids).toHaveLength(22);
    expect(slow.of("typing")).toHaveLength(1);
  });

  it("receives the presence when it resumes", async () => {
    const { hub, reader } = await stalled();
    const guest = hub.join(bob);
    await pass(1_000);
    reader.resume();
    await pass(1_000);
    expect(reader.of("presence")).toEqual([
      { type: "presence", online_count: 2, joined: ["bob"], left: [] },
    ]);
    guest.stop();
    await pass(4_000);
    expect(reader.of("presence").at(-1)).toMatchObject({ online_count: 1, left: ["bob"] });
  });

  it("is disconnected when even the events that it must not lose exceed the queue", async () => {
    const { hub, reader } = await stalled({ TRANSIENT_QUEUE_MAX: 10 });
    for (let n = 0; n < 12; n++) {
      hub.rooms.startReply(ROOM, { reply_id: `r${n}`, sender_name: "ada", content: "" });
      await settle();
    }
    reader.resume();
    await settle();
    expect(reader.error).toMatchObject({ code: "overloaded" });
    expect(hub.rooms.counts().sessions).toBe(0);
  });
});

describe("leaving", () => {
  const nothing = { rooms: 0, sessions: 0, subscriptions: 0, timers: 0, replies: 0 };

  it("releases everything, at any point of the join", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const hub = testRooms();
      hub.post();
      const readers = [hub.join(ada, { lastId: 0 }), hub.join(bob, { lastId: 0 })];
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      for (const reader of readers) reader.stop();
      await pass(3_250);
      expect(hub.rooms.counts(), `after ${turns} turns`).toEqual(nothing);
      expect(hub.store.rooms).toBe(0);
      expect(hub.bus.listeners).toBe(1);
    }
  });

  it("ends all sessions when the hub stops, and refuses new ones", async () => {
    const hub = testRooms();
    const reader = hub.join(ada);
    await settle();
    await hub.rooms.close();
    const late = hub.join(bob);
    await settle();
    expect(reader.error).toMatchObject({ code: "shutting_down" });
    expect(late.error).toMatchObject({ code: "shutting_down" });
    expect(hub.rooms.counts()).toEqual(nothing);
    expect(hub.bus.listeners).toBe(0);
  });
});
