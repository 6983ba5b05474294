import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HubError } from "../errors.ts";
import { member, pass, ROOM, settle, testRooms } from "./room.fixture.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ada = member("ada");
const bob = member("bob");

describe("authority", () => {
  it("counts nobody who may not enter, and opens nothing for them", async () => {
    const hub = testRooms();
    const denied = new HubError("private_session");
    const reader = hub.enter(ada, { mayStay: () => Promise.reject(denied) });
    await settle();
    expect(reader).toMatchObject({ error: denied, types: [] });
    expect(hub.rooms.counts()).toMatchObject({ sessions: 0, subscriptions: 0 });
    expect(hub.store.rooms).toBe(0);
  });

  it("ends whoever may not stay, before the room speaks again", async () => {
    const hub = testRooms();
    let isPrivate = false;
    const mayStay = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (isPrivate) throw new HubError("private_session");
    };
    const [owner, stranger] = [hub.enter(ada), hub.enter(bob, { mayStay })];
    await pass(5);
    isPrivate = true;
    hub.rooms.recheck(ROOM);
    hub.post("secret");
    await pass(5);
    expect(owner.ids).toEqual([1]);
    expect(stranger.ids).toEqual([]);
    expect(stranger.error).toMatchObject({ code: "private_session" });
    expect(hub.rooms.counts().sessions).toBe(1);
  });

  it("asks again within 40 s, and does not stay on a doubt", async () => {
    const hub = testRooms();
    const mayStay = vi.fn(async () => {});
    const reader = hub.enter(ada, { mayStay });
    await pass(40_000);
    expect(mayStay).toHaveBeenCalledTimes(2);
    mayStay.mockRejectedValueOnce(new Error("database down"));
    await pass(40_000);
    expect(reader.error).toMatchObject({ code: "overloaded" });
  });

  it.each([
    [{ participantId: "u:ada" }, 1, 0],
    [{ roomPrefix: "1:" }, 1, 1],
    [{ roomPrefix: "2:" }, 0, 0],
  ])("rechecks %j over all rooms", async (scope, adaAsked, bobAsked) => {
    const hub = testRooms();
    const [adaMay, bobMay] = [vi.fn(async () => {}), vi.fn(async () => {})];
    hub.enter(ada, { mayStay: adaMay });
    hub.enter(bob, { mayStay: bobMay });
    await settle();
    hub.rooms.recheckAll(scope);
    await settle();
    expect(adaMay).toHaveBeenCalledTimes(1 + adaAsked);
    expect(bobMay).toHaveBeenCalledTimes(1 + bobAsked);
  });
});

describe("a slow reader", () => {
  /** A reader that has read up to its sync and then stops asking. */
  async function stalled(limits = {}) {
    const hub = testRooms({ limits });
    const signal = new AbortController().signal;
    const mayStay = async () => {};
    const options = { lastId: undefined, connectionId: "slow", signal, mayStay };
    const stream = hub.rooms.enter(ROOM, ada, options);
    await stream.next();
    const drain = async () => {
      const types: string[] = [];
      for (;;) {
        const next = stream.next();
        const event = await Promise.race([next, settle().then(() => undefined)]);
        if (!event || event.done) return types;
        types.push(event.value.event.type);
      }
    };
    return { hub, drain };
  }

  it("loses what passes, and reads every message", async () => {
    const { hub, drain } = await stalled({ PASSING_QUEUE_MAX: 10, RING_MESSAGES: 4 });
    const reply = hub.rooms.startReply(ROOM, { reply_id: "r", sender_name: "ada", content: "" });
    for (let n = 0; n < 10; n++) {
      reply.delta("x");
      await pass(40);
    }
    for (let n = 0; n < 20; n++) hub.post();
    reply.done(20);
    const types = await drain();
    expect(types[0]).toBe("asked");
    expect(types.filter((type) => type === "message")).toHaveLength(20);
    expect(types.at(-1)).toBe("reply-done");
    expect(types).not.toContain("reply-delta");
  });

  it("is ended when even its picture of the room no longer fits", async () => {
    const { hub, drain } = await stalled({ PASSING_QUEUE_MAX: 10 });
    for (let n = 0; n < 11; n++) {
      hub.rooms.startReply(ROOM, { reply_id: `r${n}`, sender_name: "ada", content: "" });
    }
    await expect(drain()).rejects.toMatchObject({ code: "overloaded" });
    expect(hub.rooms.counts().sessions).toBe(0);
  });
});

describe("leaving", () => {
  const nothing = { rooms: 0, sessions: 0, subscriptions: 0, timers: 0, replies: 0 };

  it("leaves nothing behind, whenever it happens", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const hub = testRooms();
      hub.post();
      const [aborted, returned] = [new AbortController(), new AbortController().signal];
      const mayStay = async () => {};
      const options = { lastId: 0, connectionId: "c", mayStay };
      const one = hub.rooms.enter(ROOM, ada, { ...options, signal: aborted.signal });
      const two = hub.rooms.enter(ROOM, bob, { ...options, signal: returned });
      const reads = [one, one, one, two, two, two].map((stream) => stream.next());
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      aborted.abort();
      await two.return?.();
      await Promise.all(reads);
      await pass(3_250);
      expect(hub.rooms.counts(), `after ${turns} turns`).toEqual(nothing);
      expect(hub.store.rooms).toBe(0);
      expect(hub.bus.listeners).toBe(1);
    }
  });

  it("starts nothing for a stream that is never read", async () => {
    const hub = testRooms();
    const { signal } = new AbortController();
    const mayStay = async () => {};
    hub.rooms.enter(ROOM, ada, { lastId: 0, connectionId: "c", signal, mayStay });
    await settle();
    expect(hub.rooms.counts()).toEqual(nothing);
  });

  it("ends all when the hub stops, and lets nobody in any more", async () => {
    const hub = testRooms();
    const reader = hub.enter(ada);
    await settle();
    await hub.rooms.close();
    const late = hub.enter(bob);
    await settle();
    expect(reader.error).toMatchObject({ code: "shutting_down" });
    expect(late.error).toMatchObject({ code: "shutting_down" });
    expect(hub.rooms.counts()).toEqual(nothing);
    expect(hub.bus.listeners).toBe(0);
  });
});
