import { describe, expect, it } from "vitest";
import { failureOf, history, openRoom, PNG, remaining, say, sync } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { SECRET_REASONING } from "../../testing/openai-server.ts";

const options = {
  routes: {
    text: "openai-compatible:text-model",
    vision: "openai-compatible:vision-model",
    premium: "openai-compatible:premium-model",
  },
};

/** POST /api/chat (specification §4.2, decisions §5). */
describeRoom("POST /api/chat", { owner: "ada", ...options }, (hub, ada, room) => {
  const lastRequest = () => hub.provider.requests.at(-1);

  it("responds with the reply, the soul's title and the quota", async () => {
    const { status, body, headers } = await say(ada, room, "Is it dark?");
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      reply: expect.stringContaining("You said “[ada] Is it dark?”"),
      sender_name: "Orla",
      reply_id: expect.any(String),
      message_id: expect.any(Number),
      question_id: expect.any(Number),
      made_by: expect.objectContaining({ soul_id: room.soul_id, version: 1 }),
      answered: true,
      quota: {
        tier: "vip",
        daily_limit: 200,
        daily_remaining: expect.any(Number),
        deep_think_available: true,
        deep_think_cost: 5,
        resets_at: expect.stringMatching(/^\d{4}-\d\d-\d\d 00:00:00$/),
      },
    });
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("prompts with the soul: one file, or a folder with SOUL.md first", async () => {
    const { body } = await say(ada, room, "Who are you?");
    expect(body.reply).toContain("I keep the lighthouse at Skarholm");
    const folder = await openRoom(ada, {
      content: JSON.stringify({ "RULES.md": "Never shout.", "SOUL.md": "I am a quiet owl." }),
    });
    const owl = await say(ada, folder, "And you?");
    expect(owl.body.reply).toContain("--- SOUL.md --- I am a quiet owl. --- RULES.md ---");
  });

  it("stores question and reply, which GET /api/chat and chat-sync return", async () => {
    const { body: sent } = await say(ada, room, "Is it dark?");
    const question = { role: "user", sender_name: "ada", content: "Is it dark?" };
    const reply = { role: "assistant", sender_name: "Orla", content: sent.reply };
    const read = await history(ada, room);
    expect(read.body).toMatchObject({
      success: true,
      messages: [question, reply],
      has_more: false,
    });
    const { body } = await sync(hub.guest(), room, { last_id: 0 });
    const [first, second] = body.new_messages;
    expect(body.new_messages).toMatchObject([
      { id: sent.question_id, parent_id: null, ...question },
      { id: sent.message_id, parent_id: sent.question_id, ...reply },
    ]);
    expect(second.id).toBeGreaterThan(first.id);
    expect(body.head).toBe(second.id);
  });

  it("prompts with the earlier messages and their senders' names", async () => {
    const ben = await hub.vip("ben");
    await say(ada, room, "My boat is red.");
    await say(ben, room, "What colour is it?");
    expect(lastRequest()?.messages.map(({ role, content }) => [role, content])).toEqual([
      ["user", "[ada] My boat is red."],
      ["assistant", expect.stringContaining("My boat is red.")],
      ["user", "[ben] What colour is it?"],
    ]);
  });

  describe("routing", () => {
    it("sends text to the text model and images to the vision model, and stores `[image]`", async () => {
      await say(ada, room, "Words.");
      expect(lastRequest()).toMatchObject({ model: "text-model", messages: [{ images: [] }] });
      const { status } = await say(ada, room, "What is this?", { image: PNG });
      expect(status).toBe(200);
      expect(lastRequest()?.model).toBe("vision-model");
      expect(lastRequest()?.messages.at(-1)).toEqual({
        role: "user",
        content: "[ada] What is this?",
        images: [PNG],
      });
      const { body } = await history(ada, room);
      expect(body.messages[2].content).toBe("What is this?\n\n[image]");
      expect((await say(ada, room, "", { image: PNG })).status).toBe(200);
      expect((await history(ada, room)).body.messages[4].content).toBe("[image]");
    });

    it("sends a pro account's text to the premium model and its images to the vision model", async () => {
      const pia = await hub.member("pia");
      await hub.pass(pia, "pro");
      await say(pia, room, "Words.");
      expect(lastRequest()?.model).toBe("premium-model");
      await say(pia, room, "And this?", { image: PNG });
      expect(lastRequest()?.model).toBe("vision-model");
      const { body } = await pia.get("/api/chat-quota");
      expect(body.quota).toMatchObject({
        premium_limit: 50,
        premium_remaining: 49,
        daily_count: 2,
      });
    });

    it("requests high effort for deep think and returns no reasoning", async () => {
      const before = await remaining(ada);
      const { body, text } = await say(ada, room, "Think.", { deep_think: true });
      expect(body.success).toBe(true);
      expect(lastRequest()).toMatchObject({ model: "text-model", reasoningEffort: "high" });
      expect(text).not.toContain(SECRET_REASONING);
      expect(body.quota.daily_remaining).toBe(before - 5);
      await say(ada, room, "Don't.");
      expect(lastRequest()?.reasoningEffort).toBeUndefined();
    });
  });

  describe("refuses, without a provider call or a unit,", () => {
    it.each([
      ["an empty message", { content: "" }, "invalid_input"],
      ["a blank message", { content: " \n\t" }, "invalid_input"],
      ["no content", { content: undefined }, "invalid_input"],
      ["8,001 characters", { content: "é".repeat(8_001) }, "input_too_long"],
      ["900,000 characters", { content: "x".repeat(900_000) }, "input_too_long"],
      ["another action", { action: "shout" }, "invalid_input"],
      ["a session_token with a slash", { session_token: "a/b" }, "invalid_input"],
      ["an empty session_token", { session_token: "" }, "invalid_input"],
      ["a session_token of 129 characters", { session_token: "a".repeat(129) }, "invalid_input"],
      ["soul_id as text", { soul_id: "1" }, "invalid_input"],
      ["soul_id 0", { soul_id: 0 }, "invalid_input"],
      ["NUL", { content: "a\0b" }, "invalid_input"],
      ["a lone surrogate", { content: "a\ud800b" }, "invalid_input"],
      ["is_private as a number", { is_private: 1 }, "invalid_input"],
    ])("%s", async (_, change, error) => {
      const [before, requests] = [await remaining(ada), hub.provider.requests.length];
      expect(failureOf(await say(ada, room, "Fine.", change))).toEqual([400, error]);
      expect(await remaining(ada)).toBe(before);
      expect(hub.provider.requests.length).toBe(requests);
      expect((await history(ada, room)).body.messages).toEqual([]);
    });

    it("an unknown soul and another account's private soul", async () => {
      const secret = await openRoom(await hub.vip("sid"), { is_public: 0 });
      for (const soul_id of [secret.soul_id, 2 ** 53 - 1]) {
        const answer = await say(ada, { ...room, soul_id }, "Hello?");
        expect(failureOf(answer)).toEqual([404, "soul_not_found"]);
      }
    });
  });

  it("accepts the caller's own private soul", async () => {
    const own = await openRoom(ada, { is_public: 0, content: "Nobody else knows me." });
    expect((await say(ada, own, "Hello.")).body.reply).toContain("Nobody else knows me.");
  });

  it("counts code points, not UTF-16 code units", async () => {
    expect((await say(ada, room, "🦉".repeat(8_000))).status).toBe(200);
    const { body } = await say(ada, room, "🦉".repeat(8_001));
    expect(body.error).toBe("input_too_long");
    expect(body.message).toContain("at most 8000 characters");
    // Only invalid_input has `details` (decisions §1).
    expect(body).not.toHaveProperty("details");
  });

  it("accepts a message without `action` and with unknown fields", async () => {
    const { status } = await say(ada, room, "Hello.", {
      action: undefined,
      colour: "red",
      image: null,
    });
    expect(status).toBe(200);
  });

  it("stores concurrent messages of two accounts as one chain without gaps", async () => {
    const ben = await hub.vip("bob");
    const calls = [ada, ben].flatMap((who) =>
      Array.from({ length: 10 }, (_, n) => say(who, room, `${who.name} ${n}`)),
    );
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
    const lines = await hub.hub.database.db
      .selectFrom("chat_messages")
      .innerJoin("chat_rooms", "chat_rooms.id", "chat_messages.room_id")
      .select(["chat_messages.id", "prev_id", "role", "content", "head_id"])
      .where("soul_id", "=", room.soul_id)
      .where("chat_messages.id", "in", (await sync(ada, room)).body.new_messages.map(idOf))
      .orderBy("chat_messages.id")
      .execute();
    expect(lines).toHaveLength(40);
    let head = 0;
    for (const [at, line] of lines.entries()) {
      expect(line.prev_id).toBe(head);
      expect(line.role).toBe(at % 2 === 0 ? "user" : "assistant");
      if (at % 2 === 1) expect(line.content).toContain(`] ${lines[at - 1]?.content}”`);
      head = line.id;
    }
    expect(lines[0]?.head_id).toBe(head);
  });
});

const idOf = ({ id }: { id: number }) => id;
