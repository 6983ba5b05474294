import { describe, expect, it } from "vitest";
import { withNamedKey } from "../../accounts/keys/named-key.fixture.ts";
import type { Actor } from "../../testing/actor.ts";
import { PNG, say } from "../../testing/chat-hub.ts";
import { chatKeyOf, describeV1, errorOf, fullKeyOf, unitsLeft } from "./v1.fixture.ts";

/** What `/v1` promises beyond the stock clients' own tests (0051). */
describeV1("/v1", (hub, key) => {
  const question = { role: "user", content: "Is it dark?" };
  const ask = (more: object = {}, by = key) =>
    by.post("/v1/chat/completions", { model: hub.model, messages: [question], ...more });
  const respond = (more: object = {}, by = key) =>
    by.post("/v1/responses", { model: hub.model, input: "Is it dark?", ...more });
  const seen = () => hub.provider.requests.at(-1);

  describe("lists models", () => {
    it("to guests: popular souls", async () => {
      const { status, body } = await hub.guest().get("/v1/models");
      expect([status, body.object, body.data[0].id]).toEqual([200, "list", hub.model]);
    });

    it("own ones first, then liked ones, without gated ones of others, in pages", async () => {
      const [ada, ben] = [await hub.member("ada"), await hub.member("ben")];
      const publish = async (title: string, by: Actor, more: object = {}) =>
        (await by.post("/api/souls", { title, content: "text", ...more })).body.id;
      const own = await publish("Own", ada, { is_public: 0 });
      const liked = await publish("Liked", ben);
      await publish("Gated", ben, { nft_contract: "nft.near" });
      await ada.post("/api/like", { soul_id: liked });
      const full = await fullKeyOf(hub, ada);
      const names = async (path: string, by: Actor = full) =>
        (await by.get(path)).body.data.map(({ name }: { name: string }) => name);
      expect(await names("/v1/models")).toEqual(["Own", "Liked", "Keeper of the Light"]);
      const first = (await full.get("/v1/models?limit=2")).body;
      expect([first.has_more, first.last_id]).toEqual([true, `ben/liked-${liked}`]);
      const rest = `/v1/models?limit=2&after=${encodeURIComponent(first.last_id)}`;
      expect(await names(rest)).toEqual(["Keeper of the Light"]);
      expect(await names("/v1/models?q=keeper")).toEqual(["Keeper of the Light"]);
      // A private soul needs the scope souls:read.
      const chatOnly = await chatKeyOf(hub, ada);
      expect(await names("/v1/models", chatOnly)).toEqual(["Liked", "Keeper of the Light"]);
      expect(errorOf(await chatOnly.get(`/v1/models/soul-${own}`))).toEqual([403, "scope_missing"]);
      expect(errorOf(await key.get(`/v1/models/soul-${own}`))).toEqual([404, "model_not_found"]);
    });

    it.each([
      "openai/gpt-4",
      "gpt-4",
      "soul-0",
      "soul-99999",
      "ben/keeper-of-the-light-1",
      "vera/x-1@2",
    ])("but not %s", async (name) => {
      const { body, status } = await key.get(`/v1/models/${encodeURIComponent(name)}`);
      expect([status, body.error.code]).toEqual([404, "model_not_found"]);
    });
  });

  it("begins each of several replies with the name of its soul, also in a stream", async () => {
    const { vera, soulId, model } = hub;
    const orla = (await vera.post("/api/souls", { title: "Orla", content: "I am Orla." })).body.id;
    const room = { soul_id: soulId, session_token: "several" };
    await say(vera, room, "Hello.");
    await vera.put("/api/room", { ...room, souls: [{ soul_id: soulId }, { soul_id: orla }] });
    const asked = {
      model,
      metadata: { session_token: "several" },
      messages: [{ role: "user", content: "@orla and @keeper-of-the-light, is it dark?" }],
    };
    const text = /^Orla:\nMy soul says[^\n]*\n\nKeeper of the Light:\nMy soul says[^\n]*$/;
    const client = hub.client(vera);
    const answer = await client.chat.completions.create(asked as never);
    expect(answer.choices[0]?.message.content).toMatch(text);
    let streamed = "";
    for await (const { choices } of client.chat.completions.stream(asked as never)) {
      streamed += choices[0]?.delta.content ?? "";
    }
    expect(streamed).toMatch(text);
    const alone = await client.chat.completions.create({
      ...asked,
      messages: [{ role: "user", content: "@orla?" }],
    } as never);
    expect(alone.choices[0]?.message.content).toMatch(/^My soul says/);
  });

  it("refuses a search for what no text can hold", async () => {
    const { status, body } = await hub.guest().get("/v1/models?q=a%00");
    expect([status, body.error.code, body.error.param]).toEqual([400, "invalid_input", "q"]);
  });

  describe("takes the calls of chat programs", () => {
    it("such as LibreChat, for one unit each", async () => {
      const before = await unitsLeft(hub.vera);
      const chat = await ask({
        user: "65f0",
        stop: ["\nUser:"],
        temperature: 0.8,
        top_p: 1,
        presence_penalty: 0.5,
        frequency_penalty: -0.5,
        max_tokens: 500,
        seed: 7,
        store: false,
        service_tier: "auto",
        unknown_field: true,
      });
      expect(chat.status).toBe(200);
      expect(seen()?.body).toMatchObject({
        stop: ["\nUser:"],
        temperature: 0.8,
        top_p: 1,
        presence_penalty: 0.5,
        frequency_penalty: -0.5,
        max_tokens: 500,
        seed: 7,
      });
      const system = { role: "system", content: "Write a title of five words." };
      expect((await ask({ messages: [system, question], max_tokens: 16, stop: [] })).status).toBe(
        200,
      );
      expect(seen()?.body).not.toHaveProperty("stop");
      expect(await unitsLeft(hub.vera)).toBe(before - 2);
    });

    it("such as Open WebUI, with parts and two system texts, which the prompt fences", async () => {
      const parts = [
        { type: "text", text: "Is it" },
        { type: "text", text: "dark?" },
      ];
      const { status } = await ask({
        messages: [
          { role: "system", content: "Answer in French." },
          { role: "developer", content: [{ type: "text", text: "Use Markdown." }] },
          { role: "user", content: "Hello." },
          { role: "assistant", content: "Ahoy." },
          { role: "user", content: parts },
        ],
      });
      expect(status).toBe(200);
      const { system = "", messages } = seen() ?? {};
      expect(messages?.map(({ content }) => content)).toEqual(["Hello.", "Ahoy.", "Is it\ndark?"]);
      const [, number] = /BEGIN SOUL (\d+)/.exec(system) ?? [];
      for (const text of ["Answer in French.", "Use Markdown."]) {
        expect(system).toContain(
          `----- BEGIN APP ${number} -----\n${text}\n----- END APP ${number} -----`,
        );
      }
    });
  });

  describe("charges the own provider", () => {
    it("without a pass, and with :own, without units; never where the quota ends", async () => {
      const pia = await hub.member("pia");
      const chat = await chatKeyOf(hub, pia);
      expect(errorOf(await ask({}, chat))).toEqual([403, "pass_required"]);
      expect(errorOf(await ask({ model: `${hub.model}:own` }, chat))).toEqual([
        403,
        "byok_inactive",
      ]);
      const ownKey = {
        provider: "openai-compatible",
        api_key: "sk-own",
        base_url: hub.provider.url,
      };
      await pia.put("/api/byok", { ...ownKey, text_model: "own-model" });
      expect((await ask({}, chat)).status).toBe(200);
      expect(seen()).toMatchObject({ model: "own-model", authorization: "Bearer sk-own" });
      await hub.pass(pia, "vip");
      const before = await unitsLeft(pia);
      await ask({}, chat);
      expect([seen()?.model, await unitsLeft(pia)]).toEqual(["text-model", before - 1]);
      const long = [{ role: "user", content: "x".repeat(40_000) }];
      await ask({ model: `${hub.model}:own`, messages: long }, chat);
      expect([seen()?.model, await unitsLeft(pia)]).toEqual(["own-model", before - 1]);
    });
  });

  describe("takes images", () => {
    const image = (url: string) => ({ type: "image_url", image_url: { url } });
    const withImages = (...urls: string[]) => ({
      role: "user",
      content: [{ type: "text", text: "What is this?" }, ...urls.map(image)],
    });

    it("of the last message; older ones become a mark", async () => {
      const messages = [
        withImages(PNG),
        { role: "assistant", content: "A boat." },
        withImages(PNG),
      ];
      expect((await ask({ messages })).status).toBe(200);
      expect(seen()?.messages.map(({ content, images }) => [content, images])).toEqual([
        ["What is this?\n\n[image]", []],
        ["A boat.", []],
        ["What is this?", [PNG]],
      ]);
    });

    it.each([
      ["an address", [withImages("https://example.org/a.png")]],
      ["an older address", [withImages("http://example.org/a.png"), question]],
      ["two images", [withImages(PNG, PNG)]],
    ])("but not %s", async (_, messages) => {
      expect(errorOf(await ask({ messages }))).toEqual([400, "image_invalid"]);
    });
  });

  it.each([
    ["model", { model: undefined }],
    ["messages", { messages: undefined }],
    ["messages", { messages: [{ role: "system", content: "Hi." }] }],
    ["temperature", { temperature: 2.1 }],
    ["top_p", { top_p: -1 }],
    ["stop", { stop: ["a", "b", "c", "d", "e"] }],
    ["n", { n: 2 }],
    ["logprobs", { logprobs: true }],
    ["audio", { audio: { voice: "alloy" } }],
    ["functions", { functions: [] }],
    ["tools", { tools: Array(129).fill({ type: "function", function: { name: "a" } }) }],
    [
      "tools",
      { tools: [{ type: "function", function: { name: "a", description: "x".repeat(270_000) } }] },
    ],
    ["tools.0.function.name", { tools: [{ type: "function", function: { name: "a b" } }] }],
    [
      "tool_choice.function.name",
      { tool_choice: { type: "function", function: { name: "x".repeat(65) } } },
    ],
  ])("refuses an invalid field with its name: %s", async (param, more) => {
    const { status, body } = await ask(more);
    expect([status, body.error.param]).toEqual([400, param]);
  });

  describe("answers with OpenAI's reasons", () => {
    it("length, and content_filter, where a room would refuse the reply", async () => {
      const cut = { choices: [{ index: 0, delta: { content: "" }, finish_reason: "length" }] };
      hub.provider.failNext("filtered", { events: [cut] });
      const filtered = await ask();
      expect(filtered.body.choices[0]).toMatchObject({
        finish_reason: "content_filter",
        message: { content: "" },
      });
      expect((await ask({ max_tokens: 1 })).body.choices[0]).toMatchObject({
        finish_reason: "length",
        message: { content: "" },
      });
    });
  });

  describe("as responses", () => {
    it("answers with the standard object", async () => {
      const { status, body } = await respond({ instructions: "Be brief.", store: true });
      expect([status, body]).toEqual([
        200,
        expect.objectContaining({
          object: "response",
          status: "completed",
          store: false,
          previous_response_id: null,
          output: [
            {
              id: expect.stringMatching(/^msg_/),
              type: "message",
              status: "completed",
              role: "assistant",
              content: [
                {
                  type: "output_text",
                  text: expect.stringContaining("Is it dark?"),
                  annotations: [],
                  logprobs: [],
                },
              ],
            },
          ],
          usage: expect.objectContaining({ input_tokens: 11 }),
        }),
      ]);
      expect(seen()?.system).toContain("Be brief.");
    });

    it("streams numbered events, from response.created to response.completed", async () => {
      const { text } = await respond({ stream: true });
      const events = [...text.matchAll(/^event: (.*)\ndata: (.*)$/gm)];
      const types = [...new Set(events.map(([, type]) => type))];
      expect(types).toEqual([
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
      ]);
      const numbers = events.map(([, , data]) => JSON.parse(data ?? "").sequence_number);
      expect(numbers).toEqual(numbers.map((_, at) => at));
    });

    it("leaves out tools and items that a soul cannot use, and names them", async () => {
      const { status, headers } = await respond({
        input: [
          { type: "reasoning", id: "rs_1", summary: [] },
          { role: "user", content: [{ type: "input_text", text: "Is it dark?" }] },
        ],
        tools: [{ type: "web_search" }, { type: "function", name: "tide", parameters: {} }],
      });
      expect([status, headers.get("x-soul-hub-ignored")]).toEqual([200, "reasoning, web_search"]);
      expect(seen()?.body.tools).toHaveLength(1);
      const { headers: whole } = await respond({ input: "Is it dark?" });
      expect(whole.has("x-soul-hub-ignored")).toBe(false);
    });

    it.each([
      ["previous_response_id", { previous_response_id: "resp_1" }],
      ["conversation", { conversation: "conv_1" }],
      ["background", { background: true }],
      ["input", { input: [] }],
      [
        "tool_choice.name",
        {
          tools: [{ type: "function", name: "tide" }],
          tool_choice: { type: "function", name: "x".repeat(65) },
        },
      ],
    ])("refuses %s", async (param, more) => {
      const { status, body } = await respond(more);
      expect([status, body.error.param]).toEqual([400, param]);
    });
  });

  describe("over HTTP", () => {
    it("ignores cookies", async () => {
      const browser = hub.guest();
      await browser.post("/api/login", {
        username: "vera",
        password: "correct horse battery",
        remember: true,
      });
      expect(errorOf(await ask({}, browser))).toEqual([401, "invalid_api_key"]);
    });

    it("needs the scope chat", async () => {
      const social = await withNamedKey(hub, hub.vera, ["social"]);
      const answer = await ask({}, social);
      expect(errorOf(answer)).toEqual([403, "scope_missing"]);
      expect(answer.headers.get("www-authenticate")).toBe(
        'Bearer error="insufficient_scope", scope="chat"',
      );
      expect(errorOf(await social.get("/v1/models"))).toEqual([403, "scope_missing"]);
    });

    it("allows pages of any origin any header", async () => {
      const { status, headers } = await key.send("OPTIONS", "/v1/chat/completions", undefined, {
        origin: "https://chat.example.org",
        "access-control-request-headers": "authorization, x-stainless-os",
      });
      expect([status, headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
      expect(headers.get("access-control-allow-headers")).toBe("authorization, x-stainless-os");
    });

    it.each([
      ["GET", "/v1/unknown", 404, "not_found"],
      ["POST", "/v1/embeddings", 404, "not_found"],
      ["GET", "/v1/chat/completions", 405, "method_not_allowed"],
      ["DELETE", "/v1/models", 405, "method_not_allowed"],
    ])("answers %s %s in OpenAI's shape", async (method, path, status, code) => {
      const answer = await key.send(method, path);
      expect(answer.status).toBe(status);
      expect(answer.body).toEqual({
        error: {
          message: expect.any(String),
          type: "invalid_request_error",
          param: null,
          code,
        },
        request_id: answer.headers.get("x-request-id"),
      });
    });

    it("refuses what is not JSON in OpenAI's shape", async () => {
      const json = { "content-type": "application/json" };
      const broken = await key.send("POST", "/v1/responses", "{", json);
      const form = await key.send("POST", "/v1/responses", "a=1", { "content-type": "text/plain" });
      expect([broken, form].map(errorOf)).toEqual([
        [400, "invalid_json"],
        [415, "unsupported_media_type"],
      ]);
    });

    it("takes a body of 18 MB", async () => {
      const messages = [{ role: "user", content: "x".repeat(18_000_000) }];
      expect(errorOf(await ask({ messages }))).toEqual([400, "context_length_exceeded"]);
    });
  });
});
