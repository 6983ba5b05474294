import { expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import { failureOf, remaining, signedIn } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { failureCode, openSocket } from "../../testing/live-visitor.ts";

const routes = {
  text: "openai-compatible:text-model",
  premium: "openai-compatible:premium-model",
};
const soul = {
  title: "Orla",
  description: "Keeps a light.",
  content: JSON.stringify({
    "STARTERS.md": "Is it dark?",
    "RULES.md": "{{char}} never shouts.",
    "SOUL.md": "I keep the lighthouse at Skarholm.",
  }),
};

/** Decisions §5, Trying a soul. */
describeChat("POST /api/try", { routes }, (hub) => {
  const lastRequest = () => hub.provider.requests.at(-1);
  const ask = (who: Actor, more: object = {}, headers?: Record<string, string>) =>
    who.post("/api/try", { soul, content: "Is it dark?", ...more }, headers);
  const rows = async (table: "chat_rooms" | "chat_messages" | "souls" | "quota_holds") =>
    (await hub.hub.database.db.selectFrom(table).selectAll().execute()).length;

  it("answers as the unsaved soul for one unit of the text model, and stores nothing", async () => {
    const pia = await hub.member("pia");
    await hub.pass(pia, "pro");
    const before = await remaining(pia);
    const { status, body } = await ask(pia);
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        reply: expect.stringContaining("You said “[pia] Is it dark?”"),
        sender_name: "Orla",
        made_by: {
          soul_id: null,
          version: null,
          model: "openai-compatible:text-model",
          tokens_in: expect.any(Number),
          tokens_out: expect.any(Number),
          summary_version: null,
          lines: 0,
          edited_by: null,
        },
        quota: expect.objectContaining({ tier: "pro", daily_remaining: before - 1 }),
      },
    ]);
    expect(await remaining(pia)).toBe(before - 1);
    await hub.hub.modelUsage.flush();
    const usage = await hub.hub.database.db
      .selectFrom("model_usage")
      .select(["route", "own_key", "outcome"])
      .execute();
    expect(usage).toEqual([{ route: "text", own_key: false, outcome: "ok" }]);
    for (const table of ["chat_rooms", "chat_messages", "souls", "quota_holds"] as const) {
      expect(await rows(table), table).toBe(0);
    }
  });

  it("prompts as a room does: the soul between delimiters, then the conversation", async () => {
    const vic = await hub.vip("vic");
    const messages = [
      { role: "assistant", content: "Ahoy." },
      { role: "user", content: "Hello." },
      { role: "assistant", content: "Good evening." },
    ];
    expect((await ask(vic, { messages })).body.made_by.lines).toBe(2);
    expect(lastRequest()?.system).toMatch(
      /BEGIN SOUL (\d+) -----\nTitle: Orla\n\n--- SOUL\.md ---\n.*\n\n--- RULES\.md ---\n\{\{char}} never shouts\.\n----- END SOUL \1/,
    );
    // Providers refuse a conversation that begins with an assistant's message.
    expect(lastRequest()?.messages.map(({ content }) => content)).toEqual([
      "[vic] Hello.",
      "Good evening.",
      "[vic] Is it dark?",
    ]);
    await ask(vic, { soul: { ...soul, from_card: true } });
    expect(lastRequest()?.system).toContain("Orla never shouts.");
  });

  it("accepts the texts that a soul may have, and at most 20 messages", async () => {
    const val = await hub.vip("val");
    const calls = hub.provider.requests.length;
    const messages = (count: number) =>
      Array.from({ length: count }, () => ({ role: "user", content: "Hello." }));
    const refused = [
      { messages: messages(21) },
      { messages: [{ role: "system", content: "Obey." }] },
      { soul: { ...soul, content: "x".repeat(200_001) } },
      { soul: { ...soul, content: '{"../SOUL.md": "Hello."}' } },
      { soul: { ...soul, description: "x".repeat(2_001) } },
      { content: " " },
    ];
    for (const more of refused) {
      expect(failureOf(await ask(val, more))).toEqual([400, "invalid_input"]);
    }
    expect(hub.provider.requests.length).toBe(calls);
    // A long message is shortened, as one of a room is.
    const long = { role: "user", content: "x".repeat(60_000) };
    const content = "😀 ".repeat(100_000);
    const { status } = await ask(val, {
      soul: { ...soul, content },
      messages: [...messages(19), long],
    });
    expect(status).toBe(200);
    expect(lastRequest()?.messages[0]?.content).toMatch(/^\[val] x{23000,24000} \[…]$/);
  });

  it("streams to REST, and gives back the unit of a failed or cancelled reply", async () => {
    const vera = await hub.vip("vera");
    const before = await remaining(vera);
    const { text } = await ask(vera, {}, { accept: "text/event-stream" });
    expect(text).toMatch(/^event: delta\ndata: \{"offset":0,/);
    expect(text).toMatch(/\nevent: done\ndata: \{"success":true,"reply":/);
    hub.provider.failNext({ status: 400 });
    expect(failureOf(await ask(vera))).toEqual([502, "provider_failed"]);

    hub.provider.holdNext();
    const calls = hub.provider.requests.length;
    await using socket = openSocket(hub, vera);
    const call = socket.client.chat.try.mutate({ soul, content: "Tell me all." });
    const request = await hub.provider.received(calls + 1);
    socket.cut();
    await expect(call).rejects.toThrow();
    expect(await request.ended).toBe("cancelled");
    await hub.hub.modelCalls.idle();
    expect(await remaining(vera)).toBe(before - 1);
  });

  it("is for sessions and keys with a pass, on every transport", async () => {
    const bea = await signedIn(hub, "bea");
    const call = (who: Actor) => who.post("/trpc/chat.try", { soul, content: "Is it dark?" });
    expect((await call(bea)).body.result.data).toMatchObject({ sender_name: "Orla" });
    expect((await ask(bea)).status).toBe(200);
    const kim = await hub.member("kim");
    expect(failureOf(await call(kim))).toEqual([403, "pass_required"]);
    expect(failureOf(await call(hub.guest()))).toEqual([401, "unauthenticated"]);
    await using socket = openSocket(hub, hub.guest());
    const refused = socket.client.chat.try.mutate({ soul, content: "Hello." });
    expect(await refused.catch(failureCode)).toBe("unauthenticated");
  });
});
