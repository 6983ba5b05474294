import type { RoomEvent, RoomMessage } from "@soul-hub/api";
import { describe, expect, it } from "vitest";
import type { RoomFeed } from "./room-feed.ts";
import { applyRoomEvent, emptyFeed, expireTyping, TYPING_SHOWN_MS } from "./room-feed.ts";

function message(id: number, prev_id: number, more: Partial<RoomMessage> = {}): RoomEvent {
  const said = { role: "user" as const, sender_name: "ada", content: `m${id}` };
  return { type: "message", id, prev_id, ...said, ...more };
}

const log = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => message(from + i, from + i - 1));

function sync(head: number, more: Partial<Extract<RoomEvent, { type: "sync" }>> = {}): RoomEvent {
  const empty = { online_count: 0, participants: [], replies: [] };
  return { type: "sync", recovered: true, head, ...empty, ...more };
}

const feedOf = (events: RoomEvent[], from: RoomFeed = emptyFeed) =>
  events.reduce((feed, event) => applyRoomEvent(feed, event, 0), from);
const ids = (feed: RoomFeed) => feed.messages.map(({ id }) => id);
const asked: RoomEvent = { type: "asked", reply_id: "r", sender_name: "ada", content: "Why?" };
const delta = (offset: number, text: string): RoomEvent => ({
  type: "reply-delta",
  reply_id: "r",
  offset,
  text,
});

describe("messages", () => {
  it("stay ordered and unique over a reconnect that repeats some", () => {
    const feed = feedOf([...log(1, 3), sync(3), ...log(2, 5), sync(5), message(6, 5)]);
    expect(ids(feed)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(feed).toMatchObject({ cursor: 6, pending: [] });
  });

  it("start at any id, and in an empty room at 0", () => {
    expect(ids(feedOf([...log(41, 43), sync(43)]))).toEqual([41, 42, 43]);
    const empty = feedOf([sync(0)]);
    expect(empty.cursor).toBe(0);
    expect(ids(feedOf([message(7, 0)], empty))).toEqual([7]);
  });

  it.each([
    ["the client is too far behind", log(50, 52), sync(52, { recovered: false }), [50, 51, 52]],
    ["the cursor is beyond the head", log(1, 2), sync(2, { recovered: false }), [1, 2]],
    ["the cursor is beyond the head of an empty room", [], sync(0, { recovered: false }), []],
    ["a reconnect interrupts a new log", log(50, 52), sync(52), [50, 51, 52]],
  ])("start a new log when %s", (_, missed, synced, expected) => {
    const before = feedOf([...log(1, 5), sync(5)]);
    const feed = feedOf([...missed, synced], before);
    expect(ids(feed)).toEqual(expected);
    expect(feed.cursor).toBe(expected.at(-1) ?? 0);
    const next = (expected.at(-1) ?? 0) + 1;
    expect(ids(feedOf([message(next, next - 1)], feed))).toEqual([...expected, next]);
  });

  it("leave out messages after a gap", () => {
    const feed = feedOf([...log(1, 2), sync(2), message(9, 8)]);
    expect(ids(feed)).toEqual([1, 2]);
  });
});

describe("participants", () => {
  it("follow joins and leaves, also of two guests with the same name", () => {
    const guest = { name: "Anonymous #ab12", kind: "guest" as const };
    const feed = feedOf([
      sync(0, { online_count: 2, participants: [guest, guest] }),
      { type: "presence", online_count: 2, joined: ["ada"], left: ["Anonymous #ab12"] },
      { type: "presence", online_count: 3, joined: ["Anonymous #cd34"], left: ["nobody"] },
    ]);
    expect(feed.online_count).toBe(3);
    expect(feed.participants).toEqual([
      guest,
      { name: "ada", kind: "member" },
      { name: "Anonymous #cd34", kind: "guest" },
    ]);
  });
});

describe("typing", () => {
  it("expires, and ends with the message", () => {
    const typing = (sender_name: string): RoomEvent => ({ type: "typing", sender_name });
    const feed = feedOf([sync(0), typing("ada"), typing("bob"), typing("bob")]);
    expect(feed.typing.map(({ sender_name }) => sender_name)).toEqual(["ada", "bob"]);
    expect(feedOf([message(1, 0)], feed).typing).toMatchObject([{ sender_name: "bob" }]);
    expect(expireTyping(feed, TYPING_SHOWN_MS - 1)).toBe(feed);
    expect(expireTyping(feed, TYPING_SHOWN_MS).typing).toEqual([]);
  });
});

describe("replies", () => {
  it("grow by deltas and ignore repeated or overlapping text", () => {
    const feed = feedOf([sync(0), asked, delta(0, "Be"), delta(0, "Be"), delta(1, "ecause")]);
    expect(feed.replies).toMatchObject([{ text: "Because", isPartial: false }]);
    expect(feedOf([asked], feed)).toBe(feed);
  });

  it("stop growing after a missed delta", () => {
    const feed = feedOf([sync(0), asked, delta(0, "Be"), delta(9, "x"), delta(2, "cause")]);
    expect(feed.replies).toMatchObject([{ text: "Be", isPartial: true }]);
  });

  it("continue from the text of a sync, and end with their message", () => {
    const replies = [{ reply_id: "r", sender_name: "ada", content: "Why?", text: "Be" }];
    const feed = feedOf([sync(0, { replies }), delta(2, "cause")]);
    expect(feed.replies).toMatchObject([{ text: "Because" }]);
    const question = message(1, 0, { content: "Why?" });
    const answer = message(2, 1, { role: "assistant", sender_name: "Soul" });
    expect(feedOf([question], feed).replies).toHaveLength(1);
    expect(feedOf([question, answer], feed).replies).toEqual([]);
    expect(feedOf([{ type: "reply-done", reply_id: "r", id: 2 }], feed).replies).toEqual([]);
  });

  it("become `failed` on reply-failed", () => {
    const failure = { reply_id: "r", error: "provider_failed" as const };
    const feed = feedOf([sync(0), asked, { type: "reply-failed", ...failure }]);
    const question = { sender_name: "ada", content: "Why?" };
    expect(feed).toMatchObject({ replies: [], failed: { ...failure, ...question } });
    expect(feedOf([{ ...asked, reply_id: "s" }], feed).failed).toBeUndefined();
    expect(feedOf([message(1, 0)], feed).failed).toBeUndefined();
  });
});

describe("the caller", () => {
  const you = { name: "ada", kind: "member" as const, is_owner: false };

  it("gets name, ownership and privacy from the sync", () => {
    const feed = feedOf([sync(0, { you, is_private: false })]);
    expect(feed).toMatchObject({ you, is_private: false });
    const own = { ...you, is_owner: true };
    expect(feedOf([sync(0, { you: own, is_private: true })], feed)).toMatchObject({
      you: own,
      is_private: true,
    });
    expect(feedOf([sync(0)], feed).you).toEqual(you);
  });

  it("owns a room by its first message only", () => {
    const feed = feedOf([sync(0, { you })]);
    expect(feedOf([message(1, 0)], feed).you?.is_owner).toBe(true);
    expect(feedOf([message(1, 0, { sender_name: "bob" })], feed).you?.is_owner).toBe(false);
    expect(feedOf([message(1, 0, { sender_name: "bob" }), message(2, 1)], feed).you?.is_owner).toBe(
      false,
    );
  });
});
