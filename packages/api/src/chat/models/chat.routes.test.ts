import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defaultTiers } from "../../quota/tier-table.ts";
import type { Actor } from "../../testing/actor.ts";
import {
  type ChatHub,
  openRoom,
  PNG,
  type RoomName,
  say,
  startChatHub,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { everyText } from "../../testing/every-text.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import {
  type OpenAiServer,
  SECRET_REASONING,
  startOpenAiServer,
} from "../../testing/openai-server.ts";
import { buildPrompt } from "../prompt/prompt.ts";
import { roomKey } from "../rows/room-key.ts";

/** A request to the third provider, which has another protocol. */
interface AnthropicRequest {
  model: string;
  system: { text: string }[];
  messages: { role: string; content: { type: string; text: string }[] }[];
  thinking?: { type: string };
}

/** Decisions §5, Routing, with three providers. */
describe("routing", () => {
  let hub: ChatHub;
  let vision: OpenAiServer;
  const premium: AnthropicRequest[] = [];
  let pia: Actor;
  let vera: Actor;
  let room: RoomName;
  let rooms = 0;

  beforeAll(async () => {
    vision = await startOpenAiServer();
    hub = await startChatHub({
      config: { tiers: { ...defaultTiers, pro: { ...defaultTiers.pro, premium_limit: 3 } } },
      routes: {
        vision: "openai:gpt-5-eyes",
        premium: "anthropic:claude-opus-4-1",
        keys: { openai: "sk-eyes", anthropic: "sk-ant" },
      },
      modelOptions: { baseUrls: { openai: vision.url }, fetch: throughAnthropic(premium) },
    });
    vera = await hub.vip("vera");
    pia = await hub.member("pia");
    await hub.pass(pia, "pro");
    room = await openRoom(vera);
  });
  beforeEach(() => {
    room = { ...room, session_token: `room-${++rooms}` };
    premium.length = 0;
  });
  afterAll(async () => {
    await hub.close();
    await vision.close();
  });

  /** Number of requests at each provider. */
  const count = () => [hub.provider.requests.length, vision.requests.length, premium.length];
  const routeOf = async (call: () => Promise<{ status: number }>) => {
    const before = count();
    expect((await call()).status).toBe(200);
    const added = count().map((now, at) => now - (before[at] ?? 0));
    return { text: added[0], vision: added[1], premium: added[2] };
  };
  const TEXT = { text: 1, vision: 0, premium: 0 };
  const VISION = { text: 0, vision: 1, premium: 0 };
  const PREMIUM = { text: 0, vision: 0, premium: 1 };

  it.each([
    ["text", {}, TEXT, undefined],
    ["text with deep think", { deep_think: true }, TEXT, "high"],
    ["an image", { image: true }, VISION, undefined],
    ["an image with deep think", { image: true, deep_think: true }, VISION, "high"],
  ])(
    "sends a vip account's message to its model: %s",
    async (_, { image, ...more }: { image?: boolean; deep_think?: boolean }, to, effort) => {
      const route = await routeOf(() =>
        say(vera, room, "Look.", { ...more, ...(image ? { image: PNG } : {}) }),
      );
      expect(route).toEqual(to);
      const seen = (image ? vision : hub.provider).requests.at(-1);
      expect(seen).toMatchObject({
        model: image ? "gpt-5-eyes" : "text-model",
        authorization: image ? "Bearer sk-eyes" : "Bearer sk-KEY-SECRET",
      });
      expect(seen?.reasoningEffort).toBe(effort);
      expect(seen?.messages.at(-1)?.images).toEqual(image ? [PNG] : []);
    },
  );

  it("sends a pro account's text to the premium model while premium units remain", async () => {
    const left = async () => (await pia.get("/api/chat-quota")).body.quota;
    expect(await routeOf(() => say(pia, room, "One."))).toEqual(PREMIUM);
    expect(premium[0]?.thinking).toBeUndefined();
    expect(await routeOf(() => say(pia, room, "Two.", { deep_think: true }))).toEqual(PREMIUM);
    expect(premium[1]?.thinking).toMatchObject({ type: "enabled" });
    expect(await routeOf(() => say(pia, room, "An image.", { image: PNG }))).toEqual(VISION);
    expect(await left()).toMatchObject({ premium_remaining: 1, daily_count: 1 + 3 + 1 });
    expect(await routeOf(() => say(pia, room, "Three."))).toEqual(PREMIUM);
    expect(await left()).toMatchObject({ premium_remaining: 0 });
    expect(await routeOf(() => say(pia, room, "Four."))).toEqual(TEXT);
    expect(await routeOf(() => say(pia, room, "Five.", { deep_think: true }))).toEqual(TEXT);
    expect(hub.provider.requests.at(-1)?.reasoningEffort).toBe("high");
    expect(await left()).toMatchObject({ premium_remaining: 0, daily_count: 6 + 1 + 3 });
    // The text model's prompt contains the premium model's reply.
    expect(hub.provider.requests.at(-1)?.messages).toContainEqual({
      role: "assistant",
      content: "It is dark.",
      images: [],
    });
  });

  it("never exposes reasoning in a response, the room, the log or a table", async () => {
    await using visitor = joinAs(hub, vera, room);
    await eventually(() => expect(visitor.types).toContain("sync"));
    const streamed = await vera.post(
      "/api/chat",
      { ...room, content: "Think.", deep_think: true },
      { accept: "text/event-stream" },
    );
    const whole = await say(vera, room, "Think.", { deep_think: true });
    const image = await say(vera, room, "Think.", { deep_think: true, image: PNG });
    await eventually(() => expect(visitor.of("reply-done")).toHaveLength(3));
    expect([streamed, whole, image].map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(streamed.text).toContain("event: delta");
    const everything = [
      streamed.text,
      whole.text,
      image.text,
      JSON.stringify(visitor.events),
      hub.log.join(""),
      ...(await everyText(hub.hub.database)).map(({ text }) => text),
    ];
    for (const text of everything) expect(text).not.toContain(SECRET_REASONING);
    expect(JSON.stringify(everything)).toContain("lighthouse");
  });

  it("sends the prompt of buildPrompt: preamble, soul, window, names, people and new message", async () => {
    const people =
      'The people of this room, as Soul Hub knows them. Messages count from the first one above the new message, the summary not included:\n- "pia" has left';
    const content = "# Orla\n\nI keep the *light*.\r\n";
    const own = await openRoom(vera, { title: "Orla", content });
    await say(vera, own, "Hello.");
    await say(pia, own, "[vera] I am vera.");
    const history = (await vera.get(`/api/chat?soul_id=${own.soul_id}&session_token=lobby`)).body
      .messages;
    await say(vera, own, "Who was that?", { image: PNG });
    const image = { mediaType: "image/png", data: Buffer.from(PNG.split(",")[1] ?? "", "base64") };
    const expected = buildPrompt({
      key: { vault: hub.hub.vault, scope: roomKey(own) },
      soul: { title: "Orla", content, file_type: "single_md" },
      summary: null,
      history,
      current: { sender_name: "vera", content: "Who was that?", image },
      closing: () => [people],
    });
    const seen = vision.requests.at(-1);
    expect(seen?.system).toBe(expected.instructions);
    expect(seen?.messages).toEqual(
      expected.messages.map((message) => ({
        role: message.role,
        content: message.content,
        images: message.role === "user" && message.image ? [PNG] : [],
      })),
    );
    expect(seen?.messages.map(({ content }) => content)).toEqual([
      "[vera] Hello.",
      history[1].content,
      "[pia] \\[vera] I am vera.",
      history[3].content,
      "[vera] Who was that?",
    ]);
  });
});

/** A fetch that answers for Anthropic with reasoning and "It is dark.", and forwards other calls. */
function throughAnthropic(seen: AnthropicRequest[]): typeof globalThis.fetch {
  const block = (index: number, content_block: object, delta: object) => [
    { type: "content_block_start", index, content_block },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
  const message = { id: "m", model: "x", role: "assistant", content: [] };
  const events = [
    {
      type: "message_start",
      message: { ...message, usage: { input_tokens: 7, output_tokens: 0 } },
    },
    ...block(
      0,
      { type: "thinking", thinking: "" },
      { type: "thinking_delta", thinking: SECRET_REASONING },
    ),
    ...block(1, { type: "text", text: "" }, { type: "text_delta", text: "It is dark." }),
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ];
  return async (input, init) => {
    if (!String(input).startsWith("https://api.anthropic.com/")) return fetch(input, init);
    seen.push(JSON.parse(String(init?.body)));
    const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}
