import { beforeEach, describe, expect, it } from "vitest";
import type { ReplyEvent } from "../room-events.ts";
import type { StoredReply } from "./reply-store.ts";
import { ReplyTracker } from "./reply-tracker.ts";

const ROOM = "7/lobby";
const LOST_MS = 15_000;
const question = { reply_id: "r", sender_name: "ada", content: "Why?" };
const asked: ReplyEvent = { type: "asked", ...question };
const delta = (offset: number, text: string): ReplyEvent => ({
  type: "reply-delta",
  reply_id: "r",
  offset,
  text,
});
const done = { type: "reply-done" as const, reply_id: "r", id: 9 };
const stored = (text: string, end?: StoredReply["end"]): StoredReply => ({
  reply: { ...question, text },
  ...(end ? { end } : {}),
});

let time = 0;
let tracker: ReplyTracker;
const reconcile = (replies: StoredReply[], isComplete = true) =>
  tracker.reconcile(ROOM, { replies, isComplete });
const texts = () => tracker.list(ROOM).map(({ text }) => text);

beforeEach(() => {
  time = 0;
  tracker = new ReplyTracker({ now: () => time, silenceMs: 180_000, lostMs: LOST_MS });
});

describe("replies of other servers", () => {
  it("are new once, in any order and with any repeats", () => {
    expect(tracker.applyRemote(ROOM, asked)).toBe("new");
    expect(tracker.applyRemote(ROOM, asked)).toBe("known");
    expect(tracker.applyRemote(ROOM, delta(0, "Be"))).toBe("new");
    expect(tracker.applyRemote(ROOM, delta(2, "cause"))).toBe("new");
    expect(tracker.applyRemote(ROOM, delta(0, "Be"))).toBe("known");
    expect(texts()).toEqual(["Because"]);
    expect(tracker.applyRemote(ROOM, done)).toBe("new");
    for (const late of [asked, delta(7, "!"), done])
      expect(tracker.applyRemote(ROOM, late)).toBe("known");
    expect(tracker.size).toBe(0);
  });

  it("are listed only without a gap, and repaired from the store", () => {
    expect(tracker.applyRemote(ROOM, delta(2, "cause"))).toBe("gap");
    expect(reconcile([stored("Because")])).toEqual([asked, delta(0, "Because")]);
    expect(tracker.applyRemote(ROOM, delta(9, "it"))).toBe("gap");
    expect(texts()).toEqual([]);
    expect(reconcile([stored("Because it")])).toEqual([delta(7, " it")]);
    expect(texts()).toEqual(["Because it"]);
    expect(tracker.applyRemote(ROOM, delta(10, " is."))).toBe("new");
    // The stored copy of the reply was read before the last delta arrived over the bus.
    expect(reconcile([stored("Because it")])).toEqual([]);
    expect(texts()).toEqual(["Because it is."]);
  });

  it("end for clients that saw them, although their end was lost", () => {
    tracker.applyRemote(ROOM, asked);
    // The stored message holds the text. It may have been edited or removed since.
    expect(reconcile([stored("All of it", done)])).toEqual([done]);
    expect(reconcile([stored("All of it", done)])).toEqual([]);
    expect(tracker.size).toBe(0);
  });

  it("that ended before this server knew them are ignored", () => {
    expect(reconcile([stored("All of it", done)])).toEqual([]);
  });

  it("fail when they are missing in the store and silent for long", () => {
    tracker.applyRemote(ROOM, asked);
    time += LOST_MS - 1;
    expect(reconcile([])).toEqual([]);
    // While a slow model sends nothing, the server that runs the reply renews its entry in the store.
    expect(reconcile([stored("")])).toEqual([]);
    time += LOST_MS;
    // After an outage the reply store may be incomplete. A reply that it lacks has then not failed.
    expect(reconcile([], false)).toEqual([]);
    expect(reconcile([])).toEqual([{ type: "reply-failed", reply_id: "r", error: "internal" }]);
    expect(tracker.size).toBe(0);
  });

  it("are dropped with the room; local ones are not", () => {
    tracker.applyRemote(ROOM, asked);
    tracker.applyLocal(ROOM, { ...asked, reply_id: "own" } as ReplyEvent);
    expect(tracker.hasRemote(ROOM)).toBe(true);
    tracker.dropRemote(ROOM);
    expect(tracker.list(ROOM).map(({ reply_id }) => reply_id)).toEqual(["own"]);
    expect([tracker.hasRemote(ROOM), tracker.localRooms()]).toEqual([false, [ROOM]]);
    // The reply store's copy of a local reply is older than the tracker's copy.
    tracker.applyLocal(ROOM, { ...delta(0, "More"), reply_id: "own" } as ReplyEvent);
    const own = { reply: { ...question, reply_id: "own", text: "" } };
    expect(reconcile([own])).toEqual([]);
    time += 10 * LOST_MS;
    expect(reconcile([])).toEqual([]);
    expect(texts()).toEqual(["More"]);
  });
});
