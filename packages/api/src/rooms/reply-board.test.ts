import { beforeEach, describe, expect, it } from "vitest";
import { ReplyBoard } from "./reply-board.ts";
import type { StoredReply } from "./reply-store.ts";
import type { ReplyEvent } from "./room-events.ts";

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
let board: ReplyBoard;
const merge = (replies: StoredReply[], isWhole = true) => board.merge(ROOM, { replies, isWhole });
const texts = () => board.list(ROOM).map(({ text }) => text);

beforeEach(() => {
  time = 0;
  board = new ReplyBoard({ now: () => time, silenceMs: 180_000, lostMs: LOST_MS });
});

describe("replies of other servers", () => {
  it("are news once, in whatever order and however often the bus brings them", () => {
    expect(board.hear(ROOM, asked)).toBe("news");
    expect(board.hear(ROOM, asked)).toBe("known");
    expect(board.hear(ROOM, delta(0, "Be"))).toBe("news");
    expect(board.hear(ROOM, delta(2, "cause"))).toBe("news");
    expect(board.hear(ROOM, delta(0, "Be"))).toBe("known");
    expect(texts()).toEqual(["Because"]);
    expect(board.hear(ROOM, done)).toBe("news");
    for (const late of [asked, delta(7, "!"), done]) expect(board.hear(ROOM, late)).toBe("known");
    expect(board.size).toBe(0);
  });

  it("are shown whole or not at all, and healed from the store", () => {
    expect(board.hear(ROOM, delta(2, "cause"))).toBe("hole");
    expect(merge([stored("Because")])).toEqual([asked, delta(0, "Because")]);
    expect(board.hear(ROOM, delta(9, "it"))).toBe("hole");
    expect(texts()).toEqual([]);
    expect(merge([stored("Because it")])).toEqual([delta(7, " it")]);
    expect(texts()).toEqual(["Because it"]);
    expect(board.hear(ROOM, delta(10, " is."))).toBe("news");
    // Read before that was heard.
    expect(merge([stored("Because it")])).toEqual([]);
    expect(texts()).toEqual(["Because it is."]);
  });

  it("end for those who saw them, when their end was lost", () => {
    board.hear(ROOM, asked);
    expect(merge([stored("All of it", done)])).toEqual([delta(0, "All of it"), done]);
    expect(merge([stored("All of it", done)])).toEqual([]);
    expect(board.size).toBe(0);
  });

  it("that ended before anybody here heard of them are no news", () => {
    expect(merge([stored("All of it", done)])).toEqual([]);
  });

  it("fail when their server is lost: forgotten by the store, and silent for long", () => {
    board.hear(ROOM, asked);
    time += LOST_MS - 1;
    expect(merge([])).toEqual([]);
    // A model that thinks for long says nothing; its server keeps it in the store.
    expect(merge([stored("")])).toEqual([]);
    time += LOST_MS;
    // Nor does a store that was away, and has not been told of everything again.
    expect(merge([], false)).toEqual([]);
    expect(merge([])).toEqual([{ type: "reply-failed", reply_id: "r", error: "internal" }]);
    expect(board.size).toBe(0);
  });

  it("are dropped with the room; this server's own are not", () => {
    board.hear(ROOM, asked);
    board.note(ROOM, { ...asked, reply_id: "own" } as ReplyEvent);
    expect(board.hasForeign(ROOM)).toBe(true);
    board.dropForeign(ROOM);
    expect(board.list(ROOM).map(({ reply_id }) => reply_id)).toEqual(["own"]);
    expect([board.hasForeign(ROOM), board.ownRooms()]).toEqual([false, [ROOM]]);
    // What the store holds of it is older than what its writer knows.
    board.note(ROOM, { ...delta(0, "More"), reply_id: "own" } as ReplyEvent);
    const own = { reply: { ...question, reply_id: "own", text: "" } };
    expect(merge([own])).toEqual([]);
    time += 10 * LOST_MS;
    expect(merge([])).toEqual([]);
    expect(texts()).toEqual(["More"]);
  });
});
