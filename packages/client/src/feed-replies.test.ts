import type { RoomEvent } from "@soul-hub/api";
import { describe, expect, it } from "vitest";
import { feedOf, log, message, sync } from "./room-feed.fixture.ts";

const asked: RoomEvent = { type: "asked", reply_id: "r", sender_name: "ada", content: "Why?" };
const delta = (offset: number, text: string): RoomEvent => ({
  type: "reply-delta",
  reply_id: "r",
  offset,
  text,
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

  it("know the newest message at the time of their question, also over later syncs", () => {
    const before = feedOf([...log(1, 4), sync(4)]);
    const feed = feedOf([asked, message(5, 4)], before);
    expect(feed.replies).toMatchObject([{ since_id: 4 }]);
    const polled = { reply_id: "r", sender_name: "ada", content: "Why?", text: "Be" };
    const other = { ...polled, reply_id: "s" };
    const later = feedOf([sync(5, { replies: [polled, other] })], feed);
    expect(later.replies).toMatchObject([{ since_id: 4 }, { since_id: 5 }]);
  });

  it("know the message that they continue, also if it arrives after `asked`", () => {
    const early = { ...asked, parent_id: 6 } as RoomEvent;
    const feed = feedOf([...log(1, 4), sync(4), early]);
    expect(feed.replies).toMatchObject([{ since_id: 6 }]);
  });
});

describe("regenerations", () => {
  const again = (reply_id: string, regenerates: number) => ({
    type: "asked" as const,
    reply_id,
    sender_name: "ada",
    content: "",
    parent_id: regenerates,
    regenerates,
    soul_id: 1,
  });
  const reply = (id: number, parent_id: number) =>
    message(id, id - 1, { parent_id, role: "assistant", sender_name: "Soul" });
  const exchange = (id: number, parent_id: number | null, content: string) => [
    message(id, id - 1, { parent_id, content }),
    reply(id + 1, id),
  ];
  const joined = feedOf([...exchange(1, null, "Why?"), ...exchange(3, 2, "And?"), sync(4)]);
  const running = (...events: RoomEvent[]) =>
    feedOf(events, joined).replies.map(({ reply_id }) => reply_id);

  it("say which question is answered again, and under which message", () => {
    const [first] = feedOf([again("r", 3)], joined).replies;
    expect(first).toMatchObject({ regenerates: 3, parent_id: 3, soul_id: 1, content: "" });
  });

  it("end with the reply that continues their question, whatever arrives before it", () => {
    const both = [again("r", 1), again("s", 3)];
    expect(running(...both)).toEqual(["r", "s"]);
    expect(running(...both, reply(5, 3))).toEqual(["r"]);
    expect(running(...both, reply(5, 1))).toEqual(["s"]);
    expect(running(...both, ...exchange(5, 4, "Else?"), reply(7, 1))).toEqual(["s"]);
  });

  it("go on while the answer to a new question arrives, and that one's reply ends", () => {
    const question: RoomEvent = { ...again("q", 4), content: "Why?", regenerates: null };
    expect(running(again("r", 3), question, ...exchange(5, 4, "Why?"))).toEqual(["r"]);
  });

  it("never end a new question, nor one under an earlier message", () => {
    const rewritten: RoomEvent = { ...again("q", 2), content: "And now?", regenerates: null };
    expect(running(again("r", 3), rewritten, reply(5, 3))).toEqual(["q"]);
    expect(running(again("r", 3), rewritten, ...exchange(5, 2, "And now?"))).toEqual(["r"]);
  });

  it("keep their question's id when they fail", () => {
    const feed = feedOf(
      [again("r", 3), { type: "reply-failed", reply_id: "r", error: "provider_failed" }],
      joined,
    );
    expect(feed.failed).toMatchObject({ regenerates: 3, error: "provider_failed" });
    expect(feed.messages).toBe(joined.messages);
  });
});

describe("replies of further souls", () => {
  const question: RoomEvent = { ...asked, content: "@ben @cara?", parent_id: null, soul_id: 2 };
  const further = (reply_id: string, soul_id: number, parent_id: number): RoomEvent => ({
    type: "asked",
    reply_id,
    sender_name: "ada",
    content: "",
    parent_id,
    regenerates: null,
    soul_id,
  });
  const reply = (id: number, soul_id: number) =>
    message(id, id - 1, {
      role: "assistant",
      parent_id: id - 1,
      made_by: {
        soul_id,
        version: 1,
        model: "offline",
        tokens_in: null,
        tokens_out: null,
        summary_version: null,
        lines: 0,
        edited_by: null,
      },
    });
  const exchange = [question, message(1, 0, { content: "@ben @cara?" }), reply(2, 2)];
  const running = (...events: RoomEvent[]) =>
    feedOf(events, feedOf([sync(0), ...exchange])).replies.map(({ reply_id }) => reply_id);

  it("bring no question of their own, whether announced, synced or failed", () => {
    const own = { content: "", parent_id: 2, regenerates: null, soul_id: 3 };
    const first = feedOf([sync(0), question]);
    expect(first.replies).toMatchObject([{ content: "@ben @cara?", parent_id: null }]);
    const second = feedOf([...exchange, further("s", 3, 2)], first);
    expect(second.replies).toMatchObject([{ reply_id: "s", ...own }]);
    const { type: _, ...inProgress } = further("s", 3, 2) as Extract<RoomEvent, { type: "asked" }>;
    const joined = feedOf([sync(2, { replies: [{ ...inProgress, text: "Ca" }] })]);
    expect(joined.replies).toMatchObject([{ reply_id: "s", ...own, text: "Ca" }]);
    const failure: RoomEvent = { type: "reply-failed", reply_id: "s", error: "provider_failed" };
    expect(feedOf([failure], second).failed).toMatchObject({ reply_id: "s", ...own });
  });

  it("end with their message, before `reply-done`", () => {
    expect(running(further("s", 3, 2))).toEqual(["s"]);
    expect(running(further("s", 3, 2), reply(3, 3))).toEqual([]);
  });

  it("go on while another soul's reply, or another question, is stored", () => {
    expect(running(further("s", 3, 2), reply(3, 4))).toEqual(["s"]);
    expect(running(further("s", 3, 2), message(3, 2, { content: "And?" }), reply(4, 3))).toEqual([
      "s",
    ]);
    const done: RoomEvent = { type: "reply-done", reply_id: "s", id: 4 };
    expect(running(further("s", 3, 2), message(3, 2), reply(4, 3), done)).toEqual([]);
  });
});
