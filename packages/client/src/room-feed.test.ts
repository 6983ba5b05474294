import type { RoomEvent, RoomLine, RoomSettings } from "@soul-hub/api";
import { describe, expect, it } from "vitest";
import { feedOf, log, message, stored, sync } from "./room-feed.fixture.ts";
import type { RoomFeed } from "./room-feed.ts";
import {
  emptyFeed,
  expireTyping,
  lacksChanges,
  restartFeed,
  TYPING_SHOWN_MS,
} from "./room-feed.ts";

const ids = (feed: RoomFeed) => feed.messages.map(({ id }) => id);

describe("messages", () => {
  it("stay ordered and unique over a reconnect that repeats some", () => {
    const feed = feedOf([...log(1, 3), sync(3), ...log(2, 5), sync(5), message(6, 5)]);
    expect(ids(feed)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(feed).toMatchObject({ cursor: 6, pending: [] });
  });

  it("stay when the next server lags behind and repeats some of them", () => {
    const before = feedOf([...log(1, 9), sync(9)]);
    const feed = feedOf([...log(4, 6), sync(6), ...log(7, 10)], before);
    expect(ids(feed)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(feed).toMatchObject({ cursor: 10, log: 0 });
  });

  it("start at any id, and in an empty room at 0", () => {
    expect(ids(feedOf([...log(41, 43), sync(43)]))).toEqual([41, 42, 43]);
    const empty = feedOf([sync(0)]);
    expect(empty.cursor).toBe(0);
    expect(ids(feedOf([message(7, 0)], empty))).toEqual([7]);
  });

  it.each([
    ["the client is too far behind", log(50, 52), sync(52, { recovered: false }), [50, 51, 52], 0],
    ["the cursor is beyond the head", log(1, 2), sync(2, { recovered: false }), [1, 2], 1],
    ["the cursor is beyond the head of an empty room", [], sync(0, { recovered: false }), [], 1],
    ["a reconnect interrupts a new log", log(50, 52), sync(52), [50, 51, 52], 0],
  ])("start again when %s", (_, missed, synced, expected, logs) => {
    const before = feedOf([...log(1, 5), sync(5)]);
    const feed = feedOf([...missed, synced], before);
    expect(ids(feed)).toEqual(expected);
    expect(feed).toMatchObject({ cursor: expected.at(-1) ?? 0, log: logs });
    const next = (expected.at(-1) ?? 0) + 1;
    expect(ids(feedOf([message(next, next - 1)], feed))).toEqual([...expected, next]);
  });

  it("leave out messages after a gap", () => {
    const feed = feedOf([...log(1, 2), sync(2), message(9, 8)]);
    expect(ids(feed)).toEqual([1, 2]);
  });
});

describe("changes", () => {
  const settings: RoomSettings = {
    revision: 0,
    title: "Tabs",
    active_id: null,
    answers: "always",
    talk: "anyone",
    soul_state: "available",
    souls: [],
  };
  const line = (id: number, revision: number, content = `r${revision}`): RoomLine => {
    const { prev_id: _, ...rest } = stored(id, id - 1);
    return { ...rest, content, revision };
  };
  const changed = (
    prev_revision: number,
    revision: number,
    ...messages: RoomLine[]
  ): RoomEvent => ({
    type: "changed",
    prev_revision,
    revision,
    messages,
  });
  const texts = (feed: RoomFeed) => feed.messages.map(({ content }) => content);
  const joined = feedOf([...log(1, 3), sync(3, { revision: 4, room: settings })]);

  it("replace messages and settings, and keep each message's predecessor", () => {
    const room = { ...settings, title: "Spaces", revision: 5 };
    const change = { ...changed(4, 5, line(2, 5)), room } as RoomEvent;
    const feed = feedOf([change, message(4, 3)], joined);
    expect(texts(feed)).toEqual(["m1", "r5", "m3", "m4"]);
    expect(feed.messages[1]).toEqual({ ...stored(2, 1), content: "r5", revision: 5 });
    expect(feed).toMatchObject({ revision: 5, room });
    expect(feedOf([change], feed)).toEqual({ ...feed, room });
  });

  it("are missing after a gap, until the answer of `rooms.sync` fills it", () => {
    const gap = feedOf([changed(6, 7, line(3, 7))], joined);
    expect([gap.revision, lacksChanges(gap), texts(gap)]).toEqual([4, true, ["m1", "m2", "m3"]]);
    const whole = feedOf([changed(4, 7, line(2, 5), line(1, 6), line(3, 7))], gap);
    expect([whole.revision, lacksChanges(whole), texts(whole)]).toEqual([
      7,
      false,
      ["r6", "r5", "r7"],
    ]);
  });

  it("of an earlier revision never replace later ones", () => {
    const feed = feedOf([changed(4, 6, line(2, 6)), changed(4, 5, line(2, 5), line(3, 5))], joined);
    expect([feed.revision, texts(feed)]).toEqual([6, ["m1", "r6", "r5"]]);
  });

  it("of messages older than the feed's are kept for a client that loads those", () => {
    const from40 = feedOf([...log(40, 41), sync(41, { revision: 4 })]);
    const feed = feedOf(
      [changed(4, 6, line(7, 6), line(41, 5)), changed(3, 5, line(7, 5))],
      from40,
    );
    expect([...feed.otherChanges.values()]).toEqual([line(7, 6)]);
    expect(texts(feed)).toEqual(["m40", "r5"]);
    const other = feedOf([...log(90, 91), sync(91, { recovered: false, revision: 9 })], feed);
    expect(other.otherChanges.size).toBe(0);
  });

  it("of messages that have not arrived yet outlast a server that lacks them", () => {
    // The answer of `rooms.sync` is ahead of the subscription, whose server is at revision 4.
    const asked = feedOf([changed(6, 7), changed(4, 7, line(4, 5), line(5, 7))], joined);
    const feed = feedOf([message(4, 3), message(5, 4), message(6, 5)], asked);
    expect(texts(feed)).toEqual(["m1", "m2", "m3", "r5", "r7", "m6"]);
    expect(feed.revision).toBe(7);
    // The next server has the same revision as the feed, so the client asks nothing.
    const next = feedOf([message(5, 4, line(5, 7)), sync(6, { revision: 7 })], feed);
    expect([lacksChanges(next), texts(next)]).toEqual([false, texts(feed)]);
    const newer = feedOf([message(4, 3, line(4, 9))], asked);
    expect(newer.messages.at(-1)?.content).toBe("r9");
    const other = feedOf([sync(2, { recovered: false, revision: 4 })], asked);
    expect(other.otherChanges.size).toBe(0);
  });

  it("of the path follow a message after the path's end, which the feed continues", () => {
    const ends = (active_id: number | null) =>
      sync(3, { revision: 4, room: { ...settings, active_id } });
    const activeAfter = (active_id: number | null, parent_id: number) =>
      feedOf([ends(active_id), message(4, 3, { parent_id })], joined).room?.active_id;
    expect(activeAfter(1, 1)).toBe(4);
    expect(activeAfter(1, 3)).toBe(1);
    expect(activeAfter(null, 1)).toBeNull();
  });

  it("may be missing after a reconnect to a server that knows a later revision", () => {
    const later = feedOf([message(4, 3), sync(4, { revision: 6 })], joined);
    expect([later.revision, lacksChanges(later)]).toEqual([4, true]);
    const former = feedOf([sync(3, { revision: 3 }), changed(3, 4, line(1, 4))], joined);
    expect([former.revision, lacksChanges(former)]).toEqual([4, false]);
  });

  it("are complete in a new log", () => {
    const feed = feedOf([...log(50, 52), sync(52, { recovered: false, revision: 9 })], joined);
    expect([feed.revision, lacksChanges(feed)]).toEqual([9, false]);
  });

  it("are all missing if a connection broke before its sync", () => {
    const broken = restartFeed(feedOf(log(1, 2)));
    const feed = feedOf([message(3, 2), sync(3, { revision: 5 })], broken);
    expect([feed.revision, lacksChanges(feed)]).toEqual([0, true]);
    expect(restartFeed(joined)).toBe(joined);
    // The first server of a new log lacked a change that the second one has.
    const next = feedOf([sync(52, { revision: 6 })], restartFeed(feedOf(log(50, 52), joined)));
    expect([ids(next), next.revision, lacksChanges(next)]).toEqual([[50, 51, 52], 0, true]);
    expect(restartFeed(emptyFeed)).toBe(emptyFeed);
  });

  it("are complete if a second connection sends a new log that continues what the first sent", () => {
    // Message 50 may have changed before the second connection, which no longer sends it.
    const broken = restartFeed(feedOf(log(50, 50), joined), false);
    const feed = feedOf([...log(51, 53), sync(53, { recovered: false, revision: 9 })], broken);
    expect([ids(feed), feed.revision, lacksChanges(feed)]).toEqual([[51, 52, 53], 9, false]);
  });
});

describe("participants", () => {
  it("follow joins and leaves, also of two guests with the same name", () => {
    const guest = { name: "Anonymous #ab12", kind: "guest" as const, since_id: 0 };
    const feed = feedOf([
      sync(0, { online_count: 2, participants: [guest, guest] }),
      { type: "presence", online_count: 2, joined: ["ada"], left: ["Anonymous #ab12"] },
      { type: "presence", online_count: 3, joined: ["Anonymous #cd34"], left: ["nobody"] },
      { type: "presence", online_count: 4, joined: ["Robin (guest)"], left: [] },
    ]);
    expect(feed.online_count).toBe(4);
    expect(feed.participants).toEqual([
      guest,
      { name: "ada", kind: "member", since_id: 0 },
      { name: "Anonymous #cd34", kind: "guest", since_id: 0 },
      { name: "Robin (guest)", kind: "guest", since_id: 0 },
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
