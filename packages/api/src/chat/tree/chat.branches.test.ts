import { beforeEach, describe, expect, it } from "vitest";
import type { Actor, Answer } from "../../testing/actor.ts";
import {
  failureOf,
  history,
  PNG,
  remaining,
  say,
  sayOnPage,
  signedIn,
  sync,
} from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { roomRow, switchTo } from "./tree.fixture.ts";

let replies = 0;
const options = { databases: testDatabases(), provider: { reply: () => `Answer ${++replies}.` } };

/** 0038: regenerated replies and rewritten questions. */
describeRoom("branches", options, (hub, vera, room) => {
  beforeEach(async () => {
    replies = 0;
  });

  const lastPrompt = () => (hub.provider.requests.at(-1)?.messages ?? []).map((m) => m.content);
  const regenerate = (who: Actor, id: number, more: object = {}) =>
    say(who, room, "", { regenerate: id, ...more });
  /** The messages of the log, or of the path, by their content. */
  const log = async (more: object = {}) =>
    (await history(vera, room, more)).body.messages.map((m: { content: string }) => m.content);
  const path = () => log({ path: "active" });
  const ids = ({ body }: Answer): { question: number; reply: number } => ({
    question: body.question_id,
    reply: body.message_id,
  });
  const ask = async (content: string, more: object = {}, who = vera) => {
    const answer = await say(who, room, content, more);
    expect(answer.body.error).toBeUndefined();
    return ids(answer);
  };

  describe("a regeneration", () => {
    it("keeps both replies, and the next prompt contains the new one only", async () => {
      await ask("Hello.");
      const first = await ask("Is it dark?");
      const left = await remaining(vera);
      const { body } = await regenerate(vera, first.question);
      expect(body).toMatchObject({
        reply: "Answer 3.",
        question_id: first.question,
        answered: true,
      });
      expect(body.message_id).toBeGreaterThan(first.reply);
      expect(await remaining(vera)).toBe(left - 1);
      // The prompt was the one of the first attempt.
      expect(lastPrompt()).toEqual(["[vera] Hello.", "Answer 1.", "[vera] Is it dark?"]);
      expect(await log()).toEqual(["Hello.", "Answer 1.", "Is it dark?", "Answer 2.", "Answer 3."]);
      expect(await path()).toEqual(["Hello.", "Answer 1.", "Is it dark?", "Answer 3."]);
      await ask("And now?");
      expect(lastPrompt()).toEqual([
        "[vera] Hello.",
        "Answer 1.",
        "[vera] Is it dark?",
        "Answer 3.",
        "[vera] And now?",
      ]);
    });

    it("is shown as a reply to the same question", async () => {
      const first = await ask("Is it dark?");
      await using watcher = joinAs(hub, vera, room);
      await eventually(() => expect(watcher.types).toContain("sync"));
      const { body } = await regenerate(vera, first.question);
      await eventually(() => expect(watcher.types).toContain("reply-done"));
      expect(watcher.of("asked")).toEqual([
        {
          type: "asked",
          reply_id: body.reply_id,
          sender_name: "vera",
          content: "",
          parent_id: first.question,
          regenerates: first.question,
          soul_id: room.soul_id,
        },
      ]);
      expect(watcher.of("message").at(-1)).toMatchObject({
        id: body.message_id,
        prev_id: first.reply,
        parent_id: first.question,
        role: "assistant",
      });
      const { body: polled } = await sync(vera, room, { last_id: first.reply });
      expect(polled.new_messages).toMatchObject([
        { id: body.message_id, parent_id: first.question },
      ]);
    });

    it.each(["cut", "filtered", { status: 400 }] as const)(
      "that fails (%j) changes neither the path nor the quota",
      async (fault) => {
        const first = await ask("Is it dark?");
        const before = { ...(await roomRow(hub, room)), left: await remaining(vera) };
        hub.provider.failNext(fault);
        expect((await regenerate(vera, first.question)).status).toBe(502);
        expect({ ...(await roomRow(hub, room)), left: await remaining(vera) }).toEqual(before);
        expect(await path()).toEqual(["Is it dark?", "Answer 1."]);
      },
    );

    it("needs the question's image again", async () => {
      const first = await ask("What is this?", { image: PNG });
      const second = await ask("And this?");
      for (const [id, more] of [
        [first.question, {}],
        [second.question, { image: PNG }],
      ] as const) {
        const { status, body } = await regenerate(vera, id, more);
        expect([status, body.details?.[0].field]).toEqual([400, "image"]);
      }
      expect((await regenerate(vera, first.question, { image: PNG })).status).toBe(200);
      expect(hub.provider.requests.at(-1)?.messages).toEqual([
        { role: "user", content: "[vera] What is this?", images: [PNG] },
      ]);
      expect(await path()).toEqual(["What is this?\n\n[image]", "Answer 3."]);
    });
  });

  describe("a rewritten question", () => {
    it("begins a branch at the parent of the former one", async () => {
      const first = await ask("Hello.");
      await ask("Is it drak?");
      await ask("Is it dark?", { parent_id: first.reply });
      expect(lastPrompt()).toEqual(["[vera] Hello.", "Answer 1.", "[vera] Is it dark?"]);
      expect(await path()).toEqual(["Hello.", "Answer 1.", "Is it dark?", "Answer 3."]);
      expect(await log()).toHaveLength(6);
    });

    it("may be the first one, with parent_id 0", async () => {
      await ask("Helo.");
      const second = await ask("Hello.", { parent_id: 0 });
      expect(lastPrompt()).toEqual(["[vera] Hello."]);
      const { body } = await history(vera, room, { path: "active" });
      expect(body.messages).toMatchObject([
        { id: second.question, parent_id: null, content: "Hello." },
        { id: second.reply, parent_id: second.question },
      ]);
    });

    it("may follow the end of the path, which is no branch", async () => {
      const first = await ask("Hello.");
      const before = await roomRow(hub, room);
      const answer = await sayOnPage(await signedIn(hub, `ben-${room.soul_id}`), room, "Hi.", {
        parent_id: first.reply,
      });
      expect(answer.status).toBe(200);
      const { is_branched, path_epoch, revision } = await roomRow(hub, room);
      expect([is_branched, path_epoch, revision]).toEqual([false, before.path_epoch, 0]);
    });
  });

  it("may be continued after the path was switched back to them", async () => {
    const first = await ask("Is it dark?");
    await regenerate(vera, first.question);
    const { body } = await switchTo(vera, room, first.reply);
    expect(body.room).toMatchObject({ revision: 2, active_id: first.reply });
    expect(await path()).toEqual(["Is it dark?", "Answer 1."]);
    await ask("And now?");
    expect(lastPrompt()).toEqual(["[vera] Is it dark?", "Answer 1.", "[vera] And now?"]);
    expect(await path()).toEqual(["Is it dark?", "Answer 1.", "And now?", "Answer 3."]);
    // The path ends at the newest message again, which is the room's default.
    expect(await roomRow(hub, room)).toMatchObject({ active_id: null, revision: 3 });
  });

  it("pages through the path of many branches", async () => {
    for (let n = 0; n < 4; n++) {
      const { question } = await ask(`Question ${n}.`);
      await regenerate(vera, question);
      await regenerate(vera, question);
    }
    const whole: unknown[] = (await history(vera, room, { path: "active" })).body.messages;
    expect(whole).toHaveLength(8);
    const paged: unknown[] = [];
    let before: object = {};
    for (let isMore = true; isMore; ) {
      const { body } = await history(vera, room, { path: "active", limit: 3, ...before });
      paged.unshift(...body.messages);
      before = { before_id: body.oldest_id };
      isMore = body.has_more;
    }
    expect(paged).toEqual(whole);
  });

  describe("of a participant who does not own the room", () => {
    let ben: Actor;
    beforeEach(async () => {
      ben = await hub.vip(`ben-${room.soul_id}`);
    });

    it("begin at the own last question, until another person writes", async () => {
      const first = await ask("Hello.");
      const own = await ask("Is it dark?", {}, ben);
      const foreign = [
        regenerate(ben, first.question),
        say(ben, room, "Hi.", { parent_id: 0 }),
        say(ben, room, "Hi.", { parent_id: own.question }),
      ];
      for (const answer of await Promise.all(foreign)) {
        expect(failureOf(answer)).toEqual([403, "not_owner"]);
      }
      expect((await regenerate(ben, own.question)).status).toBe(200);
      const rewritten = await ask("Is it night?", { parent_id: first.reply }, ben);
      expect(failureOf(await regenerate(ben, own.question))).toEqual([403, "not_owner"]);
      await ask("Good evening.");
      const late = [
        await regenerate(ben, rewritten.question),
        await say(ben, room, "Hi.", { parent_id: first.reply }),
      ];
      expect(late.map(failureOf)).toEqual(late.map(() => [403, "not_owner"]));
      expect((await regenerate(vera, own.question)).status).toBe(200);
    });

    it("are refused at the commit if another person has written meanwhile", async () => {
      await ask("Hello.");
      const own = await ask("Is it dark?", {}, ben);
      const left = await remaining(ben);
      const count = hub.provider.requests.length;
      const release = hub.provider.holdNext();
      const late = regenerate(ben, own.question);
      await hub.provider.received(count + 1);
      await ask("Good evening.");
      release();
      expect(failureOf(await late)).toEqual([403, "not_owner"]);
      expect(await remaining(ben)).toBe(left);
      expect(await path()).toEqual(await log());
    });
  });

  it("are refused at the commit if their question was removed meanwhile", async () => {
    const { question } = await ask("Is it dark?");
    const left = await remaining(vera);
    const count = hub.provider.requests.length;
    const release = hub.provider.holdNext();
    const late = regenerate(vera, question);
    await hub.provider.received(count + 1);
    const name = `soul_id=${room.soul_id}&session_token=${room.session_token}`;
    expect((await vera.delete(`/api/message?${name}&id=${question}`)).status).toBe(200);
    release();
    expect(failureOf(await late)).toEqual([404, "message_not_found"]);
    expect(await remaining(vera)).toBe(left);
    expect(await log()).toEqual(["[removed]", "Answer 1."]);
  });

  it("have at most 20 siblings, also with concurrent calls", async () => {
    const { question } = await ask("Is it dark?");
    const answers = await Promise.all(Array.from({ length: 24 }, () => regenerate(vera, question)));
    const failed = answers.filter(({ status }) => status !== 200).map(failureOf);
    expect(failed).toEqual(Array(5).fill([409, "limit_reached"]));
    expect(failureOf(await regenerate(vera, question))).toEqual([409, "limit_reached"]);
    expect(await log()).toHaveLength(21);
    const questions = await Promise.all(
      Array.from({ length: 20 }, () => say(vera, room, "Is it?", { parent_id: 0 })),
    );
    expect(questions.filter(({ status }) => status === 200)).toHaveLength(19);
  });

  it("are refused at messages that the room does not have", async () => {
    const first = await ask("Hello.");
    const other = { ...room, session_token: "other" };
    const elsewhere = ids(await say(vera, other, "Hello."));
    const never = { ...room, session_token: "never" };
    const refused = await Promise.all([
      regenerate(vera, elsewhere.question),
      regenerate(vera, first.reply),
      regenerate(vera, 2 ** 53 - 1),
      say(vera, room, "Hi.", { parent_id: elsewhere.reply }),
      say(vera, never, "Hi.", { parent_id: first.reply }),
      say(vera, never, "", { regenerate: first.question }),
    ]);
    expect(refused.map(failureOf)).toEqual(refused.map(() => [404, "message_not_found"]));
    await hub.hub.database.db
      .updateTable("chat_messages")
      .set({ content: "[removed]", removed_at: "2026-01-01" })
      .where("id", "in", [first.question, first.reply])
      .execute();
    const removed = [
      await regenerate(vera, first.question),
      await say(vera, room, "Hi.", { parent_id: first.reply }),
    ];
    expect(removed.map(failureOf)).toEqual(removed.map(() => [404, "message_not_found"]));
  });

  describe("under a removed reply", () => {
    const remove = async (id: number) => {
      const name = `soul_id=${room.soul_id}&session_token=${room.session_token}`;
      expect((await vera.delete(`/api/message?${name}&id=${id}`)).status).toBe(200);
    };

    it("rewrite its question, and begin no other", async () => {
      const ben = await hub.vip(`bob-${room.soul_id}`);
      const first = await ask("Hello.");
      const own = await ask("Is it dark?", {}, ben);
      await remove(first.reply);
      const rewritten = await ask("Is it night?", { parent_id: first.reply }, ben);
      expect(await path()).toEqual(["Hello.", "[removed]", "Is it night?", "Answer 3."]);
      await ask("Is it late?", { parent_id: first.reply });
      // The question of another person is on the path now.
      const refused = [await say(ben, room, "Hi.", { parent_id: first.reply })];
      await remove(rewritten.reply);
      refused.push(await say(vera, room, "Hi.", { parent_id: rewritten.reply }));
      await remove(own.question);
      refused.push(await regenerate(vera, own.question));
      expect(refused.map(failureOf)).toEqual(refused.map(() => [404, "message_not_found"]));
    });
  });

  it("never answer a message for people only", async () => {
    const { question } = await ask("Psst.");
    const { db } = hub.hub.database;
    await db
      .updateTable("chat_messages")
      .set({ audience: "people" })
      .where("id", "=", question)
      .execute();
    const before = hub.provider.requests.length;
    expect(failureOf(await regenerate(vera, question))).toEqual([404, "message_not_found"]);
    await ask("And now?", { parent_id: question });
    expect(hub.provider.requests.slice(before)).toHaveLength(1);
    expect(JSON.stringify(lastPrompt())).not.toContain("Psst.");
  });

  it.each([
    ["parent_id with regenerate", { regenerate: 1, parent_id: 1, content: "" }, "regenerate"],
    ["regenerate with content", { regenerate: 1, content: "Hi." }, "content"],
    ["regenerate 0", { regenerate: 0, content: "" }, "regenerate"],
    ["parent_id -1", { parent_id: -1 }, "parent_id"],
    ["no content", { parent_id: 0, content: " " }, "content"],
  ])("are refused as invalid: %s", async (_, fields, field) => {
    const { status, body } = await say(vera, room, "Hi.", fields);
    expect([status, body.error, body.details[0].field]).toEqual([400, "invalid_input", field]);
  });
});
