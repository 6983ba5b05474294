import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Actor, Answer } from "../../testing/actor.ts";
import {
  failureOf,
  history,
  openRoom,
  PNG,
  type RoomName,
  say,
  sayOnPage,
  signedIn,
  sync,
} from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";

const UTC_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

describeChat("changing messages", {}, (hub) => {
  let vera: Actor;
  let ben: Actor;
  let room: RoomName;
  /** Ids of the first exchange: Vera's question and the reply. */
  let question: number;
  let reply: number;
  let names = 0;

  beforeEach(async () => {
    names += 1;
    vera = await hub.vip(`vera-${names}`);
    ben = await hub.vip(`ben-${names}`);
    room = await openRoom(vera);
    const { body } = await say(vera, room, "Is it drak?");
    ({ question_id: question, message_id: reply } = body);
  });

  const lines = async (path: object = {}) =>
    (await history(vera, room, path)).body.messages as Record<string, unknown>[];
  const line = async (id: number) => (await lines()).find((one) => one.id === id);
  const edit = (actor: Actor, id: number, content: string, more: object = {}) =>
    actor.put("/api/message", { ...room, id, content, ...more });
  const remove = (actor: Actor, id: number) =>
    actor.send("DELETE", "/api/message", JSON.stringify({ ...room, id }), {
      "content-type": "application/json",
    });
  const react = (actor: Actor, id: number, emoji: string, on = true) =>
    actor.put("/api/reaction", { ...room, id, emoji, on });
  const outcome = (answer: Answer) =>
    answer.status === 200 ? answer.body.revision : failureOf(answer);

  describe("an edit", () => {
    it("replaces the sender's text in place, without a model call", async () => {
      const calls = hub.provider.requests.length;
      const answer = await edit(vera, question, "Is it dark?");
      expect(answer.body).toMatchObject({
        success: true,
        revision: 1,
        message: expect.any(String),
      });
      expect(await line(question)).toEqual({
        id: question,
        role: "user",
        sender_name: vera.name,
        content: "Is it dark?",
        created_at: expect.stringMatching(UTC_TIME),
        parent_id: null,
        edited_at: expect.stringMatching(UTC_TIME),
        revision: 1,
      });
      expect(await lines()).toHaveLength(2);
      expect(hub.provider.requests).toHaveLength(calls);
    });

    it("of a reply is the room owner's, and shows the owner's name", async () => {
      expect(outcome(await edit(ben, reply, "No."))).toEqual([403, "not_owner"]);
      expect(outcome(await edit(vera, reply, "Very."))).toBe(1);
      expect(await line(reply)).toMatchObject({
        content: "Very.",
        made_by: { edited_by: vera.name },
      });
    });

    it("is refused to everybody but the sender, the room's owner included", async () => {
      const { body } = await say(ben, room, "I am Ben.");
      expect(outcome(await edit(vera, body.question_id, "I am Vera."))).toEqual([403, "not_owner"]);
      expect(outcome(await edit(ben, question, "Mine."))).toEqual([403, "not_owner"]);
    });

    it("with `expected` changes nothing if the text has changed", async () => {
      expect(outcome(await edit(vera, question, "A", { expected: "Is it drak?" }))).toBe(1);
      expect(outcome(await edit(vera, question, "B", { expected: "Is it drak?" }))).toEqual([
        409,
        "room_changed",
      ]);
      expect(await line(question)).toMatchObject({ content: "A" });
    });

    it("to the same text changes nothing", async () => {
      expect(outcome(await edit(vera, question, "Is it drak?"))).toBe(0);
      expect(await line(question)).not.toHaveProperty("edited_at");
    });

    it("has the length limit of the plan", async () => {
      expect(outcome(await edit(vera, question, "x".repeat(8_001)))).toEqual([
        400,
        "input_too_long",
      ]);
      expect(outcome(await edit(vera, question, "🌍".repeat(8_000)))).toBe(1);
    });

    it("is in the next prompt, and the former text is not", async () => {
      await edit(vera, question, "Is it dark?");
      // The test's model server repeats the question in its reply.
      await edit(vera, reply, "Very.");
      await say(vera, room, "Well?");
      const prompt = JSON.stringify(hub.provider.requests.at(-1));
      expect(prompt).toContain("Is it dark?");
      expect(prompt).not.toContain("drak");
    });
  });

  describe("a removal", () => {
    it("purges the text and keeps the message's place", async () => {
      expect(outcome(await remove(vera, question))).toBe(1);
      expect(await lines()).toEqual([
        {
          id: question,
          role: "user",
          sender_name: vera.name,
          content: "[removed]",
          created_at: expect.stringMatching(UTC_TIME),
          parent_id: null,
          removed: true,
          revision: 1,
        },
        expect.objectContaining({ id: reply, parent_id: question }),
      ]);
    });

    it("is the sender's and the room owner's", async () => {
      const { body } = await say(ben, room, "I am Ben.");
      expect(outcome(await remove(ben, question))).toEqual([403, "not_owner"]);
      expect(outcome(await remove(ben, reply))).toEqual([403, "not_owner"]);
      expect(outcome(await remove(ben, body.question_id))).toBe(1);
      expect(outcome(await remove(vera, body.message_id))).toBe(2);
    });

    it("can be repeated, and needs no pass", async () => {
      await hub.pass(vera, "free");
      expect([
        outcome(await remove(vera, question)),
        outcome(await remove(vera, question)),
      ]).toEqual([1, 1]);
    });

    it("ends edits and reactions, and drops both", async () => {
      await edit(vera, question, "Is it dark?");
      await react(ben, question, "👍");
      await remove(vera, question);
      expect(await line(question)).toEqual(
        expect.not.objectContaining({ reactions: expect.anything() }),
      );
      expect(await line(question)).not.toHaveProperty("edited_at");
      expect(outcome(await edit(vera, question, "Back."))).toEqual([404, "message_not_found"]);
      expect(outcome(await react(vera, question, "👍"))).toEqual([404, "message_not_found"]);
    });

    it("and edits stay unknown to a repeated Idempotency-Key after the room became private", async () => {
      const key = { "idempotency-key": "once" };
      const send = () => ben.post("/api/chat", { ...room, content: "Again?" }, key);
      const first = (await send()).body;
      await say(vera, room, "Between us.", { is_private: true });
      await edit(vera, first.message_id, "Not for Ben.");
      expect(failureOf(await send())).toEqual([403, "private_session"]);
    });

    it("is in the answer to a repeated Idempotency-Key, as an edit is", async () => {
      const key = { "idempotency-key": "once" };
      const send = () => vera.post("/api/chat", { ...room, content: "Again?" }, key);
      const first = (await send()).body;
      await edit(vera, first.message_id, "Edited.");
      expect((await send()).body).toEqual({ ...first, reply: "Edited." });
      await remove(vera, first.message_id);
      expect((await send()).body).toEqual({ ...first, reply: "[removed]", removed: true });
      expect(await lines()).toHaveLength(4);
    });
  });

  describe("a reaction", () => {
    it("counts the participants, with the names of the first ten", async () => {
      const people = [vera, ben];
      for (let n = 0; n < 10; n++) people.push(await hub.vip(`p${names}-${n}`));
      for (const actor of people) await react(actor, reply, "👍");
      await react(ben, reply, "🏳️‍🌈");
      await react(ben, reply, "👍");
      expect((await line(reply))?.reactions).toEqual([
        { emoji: "👍", count: 12, names: people.slice(0, 10).map(({ name }) => name) },
        { emoji: "🏳️‍🌈", count: 1, names: [ben.name] },
      ]);
    });

    it("can be taken back, which leaves no trace", async () => {
      expect(outcome(await react(ben, reply, "👍"))).toBe(1);
      expect(outcome(await react(ben, reply, "👍"))).toBe(1);
      expect(outcome(await react(ben, reply, "👍", false))).toBe(2);
      expect(outcome(await react(ben, reply, "👍", false))).toBe(2);
      expect(await line(reply)).not.toHaveProperty("reactions");
    });

    it.each(["yes", "", "👍👍", "👍 ", "1", "🏳", "👍\u200d"])("is no emoji: %j", async (emoji) => {
      expect(outcome(await react(ben, reply, emoji))).toEqual([400, "invalid_input"]);
    });

    it("is a guest's too, on the page, and follows the room's `talk`", async () => {
      const guest = hub.guest();
      const reactOnPage = () =>
        guest.post("/trpc/chat.react", { ...room, id: reply, emoji: "🎉", on: true });
      expect((await react(guest, reply, "🎉")).status).toBe(401);
      expect((await reactOnPage()).status).toBe(200);
      const { body } = await sync(guest, room);
      expect((await line(reply))?.reactions).toEqual([
        { emoji: "🎉", count: 1, names: [body.you.name] },
      ]);
      for (const [talk, actor, expected] of [
        ["members", ben, 200],
        ["owner", ben, 403],
        ["owner", vera, 200],
      ] as const) {
        await vera.put("/api/room", { ...room, talk });
        expect(failureOf(await reactOnPage())).toEqual([403, "muted"]);
        expect((await react(actor, reply, "🙃")).status).toBe(expected);
      }
    });

    it("is in no prompt", async () => {
      await react(ben, reply, "🦑");
      await say(vera, room, "Well?");
      expect(JSON.stringify(hub.provider.requests.at(-1))).not.toContain("🦑");
    });
  });

  it("works on the page with a session; a guest changes no message", async () => {
    const page = await signedIn(hub, `page-${names}`);
    const guest = hub.guest();
    const own = async (actor: Actor) =>
      (await sayOnPage(actor, room, "Hello.")).body.result.data.question_id;
    const id = await own(page);
    const sent = { ...room, id, content: "Hi." };
    expect((await page.post("/trpc/chat.edit", sent)).body.result.data.revision).toBe(1);
    expect((await page.post("/trpc/chat.remove", { ...room, id })).status).toBe(200);
    const theirs = { ...room, id: await own(guest), content: "Hi." };
    expect(failureOf(await guest.post("/trpc/chat.edit", theirs))).toEqual([
      401,
      "unauthenticated",
    ]);
    expect(failureOf(await guest.post("/trpc/chat.remove", theirs))).toEqual([
      401,
      "unauthenticated",
    ]);
  });

  it("of another room does not exist", async () => {
    const other = { ...room, session_token: "other" };
    await say(vera, other, "Elsewhere.");
    const sent = { ...other, id: question, content: "No.", emoji: "👍", on: true };
    for (const answer of [
      await vera.put("/api/message", sent),
      await vera.delete(
        `/api/message?${new URLSearchParams({ ...other, soul_id: `${other.soul_id}`, id: `${question}` })}`,
      ),
      await vera.put("/api/reaction", sent),
    ]) {
      expect(failureOf(answer)).toEqual([404, "message_not_found"]);
    }
  });

  it("of a message with an image replaces its mark, too", async () => {
    const { body } = await say(vera, room, "Look.", { image: PNG });
    await edit(vera, body.question_id, "Looked.");
    expect(await line(body.question_id)).toMatchObject({ content: "Looked." });
  });

  it("reaches live clients although the read of the change has failed", async () => {
    await using watcher = joinAs(hub, ben, room);
    await eventually(() => expect(watcher.types).toContain("sync"));
    const executor = hub.hub.database.db.getExecutor();
    const execute = executor.executeQuery.bind(executor);
    let failures = 0;
    const reads = vi.spyOn(executor, "executeQuery").mockImplementation(async (query) => {
      const isRead = query.sql.includes("first_open_message");
      if (isRead && failures++ === 0) throw new Error("The connection is lost.");
      return execute(query);
    });
    expect(outcome(await edit(vera, question, "Is it dark?"))).toBe(1);
    await eventually(() =>
      expect(watcher.of("changed")).toMatchObject([
        { revision: 1, messages: [{ id: question, content: "Is it dark?" }] },
      ]),
    );
    expect(failures).toBeGreaterThan(1);
    reads.mockRestore();
  });

  it("takes one revision each, whichever order concurrent calls have", async () => {
    const changes = [
      ...Array.from({ length: 8 }, (_, n) => edit(vera, question, `Text ${n}`)),
      ...["😀", "😁", "😂", "😃"].map((emoji) => react(ben, reply, emoji)),
      remove(vera, reply),
    ];
    const revisions = (await Promise.all(changes)).flatMap((one) => one.body.revision ?? []);
    const { body } = await sync(vera, room, { last_id: 0, revision: 0 });
    expect(body.revision).toBe(Math.max(...revisions));
    expect(new Set(revisions).size).toBe(revisions.length);
    expect(body.changes.map(({ id }: { id: number }) => id).sort()).toEqual([question, reply]);
  });
});
