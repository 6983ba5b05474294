import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HubError } from "../errors.ts";
import { fakeLog, fakeTime, member, pass, ROOM, settle, testRooms, WAYS } from "./room.fixture.ts";

beforeEach(() => void fakeTime());
afterEach(() => void vi.useRealTimers());

const ada = member("ada");
const bob = member("bob");

describe.each(WAYS)("events that are %s", (way) => {
  describe("authority", () => {
    it("counts nobody who may not enter, and opens nothing for them", async () => {
      const hub = testRooms({ way });
      const denied = new HubError("private_session");
      const reader = hub.enter(ada, { mayStay: () => Promise.reject(denied) });
      await settle();
      expect(reader).toMatchObject({ error: denied, types: [] });
      expect(hub.rooms.counts()).toMatchObject({ sessions: 0, subscriptions: 0 });
      expect(hub.store.rooms).toBe(0);
    });

    it("ends whoever may not stay, before the room speaks again", async () => {
      const hub = testRooms({ way });
      let isPrivate = false;
      const mayStay = async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (isPrivate) throw new HubError("private_session");
      };
      const [owner, stranger] = [hub.enter(ada), hub.enter(bob, { mayStay })];
      // Long enough to be one of the crowd.
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

    it("asks again within 40 s, and does not stay on a doubt", async () => {
      const hub = testRooms({ way });
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
      const hub = testRooms({ way });
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
    /** A reader that has read up to its sync and then stops. */
    async function stalled(limits = {}) {
      const hub = testRooms({ way, limits });
      const reader = hub.enter(ada);
      await settle();
      reader.stall();
      return { hub, reader };
    }

    it("loses what passes, and reads every message", async () => {
      const { hub, reader } = await stalled({ PASSING_QUEUE_MAX: 10, RING_MESSAGES: 4 });
      const quick = hub.enter(bob);
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
      reader.readOn();
      await settle();
      expect(reader.types.filter((type) => type !== "presence").slice(0, 2)).toEqual([
        "sync",
        "asked",
      ]);
      expect(reader.ids).toEqual(quick.ids);
      expect(reader.ids).toHaveLength(20);
      expect(reader.types.at(-1)).toBe("reply-done");
      expect(reader.of("reply-delta").length).toBeLessThan(10);
      // Nobody else noticed.
      expect(quick.of("reply-delta")).toHaveLength(10);
    });

    it("hears nothing twice that happens while it catches up", async () => {
      let release = () => {};
      let reading: Promise<void> | undefined;
      const log = fakeLog(undefined, () => reading ?? Promise.resolve());
      const hub = testRooms({ way, log, limits: { RING_MESSAGES: 4 } });
      const [slow, quick] = [hub.enter(ada), hub.enter(bob)];
      await pass(1_000);
      slow.stall();
      for (let n = 0; n < 20; n++) hub.post();
      await settle();
      reading = new Promise((resolve) => {
        release = resolve;
      });
      slow.readOn();
      await settle();
      // In one turn: the page comes, and the room goes on.
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

    it("is told who is there when it reads on", async () => {
      const { hub, reader } = await stalled();
      const guest = hub.enter(bob);
      await pass(1_000);
      reader.readOn();
      await pass(1_000);
      expect(reader.of("presence")).toEqual([
        { type: "presence", online_count: 2, joined: ["bob"], left: [] },
      ]);
      guest.stop();
      await pass(4_000);
      expect(reader.of("presence").at(-1)).toMatchObject({ online_count: 1, left: ["bob"] });
    });

    it("is ended when even its picture of the room no longer fits", async () => {
      const { hub, reader } = await stalled({ PASSING_QUEUE_MAX: 10 });
      for (let n = 0; n < 12; n++) {
        hub.rooms.startReply(ROOM, { reply_id: `r${n}`, sender_name: "ada", content: "" });
        await settle();
      }
      reader.readOn();
      await settle();
      expect(reader.error).toMatchObject({ code: "overloaded" });
      expect(hub.rooms.counts().sessions).toBe(0);
    });
  });

  describe("leaving", () => {
    const nothing = { rooms: 0, sessions: 0, subscriptions: 0, timers: 0, replies: 0 };

    it("leaves nothing behind, whenever it happens", async () => {
      for (let turns = 0; turns < 12; turns++) {
        const hub = testRooms({ way });
        hub.post();
        const [aborted, returned] = [new AbortController(), new AbortController().signal];
        const mayStay = async () => {};
        const options = { lastId: 0, mayStay };
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
      const hub = testRooms({ way });
      const { signal } = new AbortController();
      const mayStay = async () => {};
      hub.rooms.enter(ROOM, ada, { lastId: 0, signal, mayStay });
      await settle();
      expect(hub.rooms.counts()).toEqual(nothing);
    });

    it("ends all when the hub stops, and lets nobody in any more", async () => {
      const hub = testRooms({ way });
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
});
