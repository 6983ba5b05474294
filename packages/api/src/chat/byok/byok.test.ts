import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Actor, Answer } from "../../testing/actor.ts";
import { type ChatHub, signedIn, startChatHub } from "../../testing/chat-hub.ts";
import { everyText } from "../../testing/every-text.ts";
import { type OpenAiServer, startOpenAiServer } from "../../testing/openai-server.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { hostAndPort } from "./allowed-hosts.ts";

const GOOD = "sk-a-good-key-of-ada";
const OTHER = "sk-another-good-key";

/** The endpoints of /api/byok (decisions §5, BYOK). */
describe("own provider keys", () => {
  const database = ruleDatabase();
  let own: OpenAiServer;
  /** A provider without a list of models. */
  let plain: OpenAiServer;
  /** A provider that accepts only one of the keys GOOD and OTHER. */
  let second: OpenAiServer;
  let hub: ChatHub;
  let ada: Actor;
  beforeAll(async () => {
    own = await startOpenAiServer({ keys: [GOOD, OTHER] });
    plain = await startOpenAiServer({ keys: [GOOD], listsModels: false });
    second = await startOpenAiServer({ keys: [OTHER] });
    hub = await startChatHub({
      ownModelsOptions: {
        allowedHosts: [own, plain, second].map(({ url }) => hostAndPort(new URL(url))),
        // The local server answers requests for the list of models like every provider.
        baseUrls: { openai: own.url, anthropic: own.url, google: own.url },
      },
    });
    ada = await hub.member("ada");
  });
  afterEach(async () => {
    await hub.hub.database.db.deleteFrom("provider_keys").execute();
  });
  afterAll(async () => {
    await hub.close();
    for (const server of [own, plain, second]) await server.close();
  });

  const save = (who: Actor, more: object = {}): Promise<Answer> =>
    who.put("/api/byok", {
      provider: "openai-compatible",
      api_key: GOOD,
      base_url: own.url,
      text_model: "text-model",
      ...more,
    });
  const keysOf = async (who: Actor) => (await who.get("/api/byok")).body.keys;
  const failure = ({ status, body }: Answer) => [
    status,
    body.error,
    body.details?.map(({ field }: { field: string }) => field),
  ];

  describe("PUT /api/byok", () => {
    it("checks the key with one call, saves it and returns its last four characters", async () => {
      const requests = own.requests.length;
      const { status, body, text } = await save(ada, { vision_model: "llava:7b" });
      const key = {
        provider: "openai-compatible",
        hint: "-ada",
        text_model: "text-model",
        vision_model: "llava:7b",
        base_url: own.url,
        active: true,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      };
      expect(status).toBe(200);
      expect(body).toEqual({ success: true, message: expect.any(String), key });
      expect(text).not.toContain(GOOD);
      expect(own.requests.slice(requests).map(({ path }) => path)).toEqual(["/v1/models"]);
      expect(await keysOf(ada)).toEqual([key]);
      expect(JSON.stringify(await everyText(hub.hub.database))).not.toContain(GOOD);
      expect(hub.log.join("")).not.toContain(GOOD);
    });

    it("checks with a reply of one token if there is no list of models", async () => {
      const compatible = { provider: "openai-compatible", base_url: plain.url };
      const withModel = { ...compatible, text_model: "text-model" };
      expect((await ada.put("/api/byok", { ...withModel, api_key: GOOD })).status).toBe(200);
      expect(plain.requests.at(-1)?.body).toMatchObject({ model: "text-model", max_tokens: 1 });
      const refused = await ada.put("/api/byok", { ...withModel, api_key: "sk-wrong" });
      expect(failure(refused)).toEqual([400, "byok_key_rejected", undefined]);
      // Without a list of models and without a model name, the key cannot be checked.
      const dee = await hub.member(`dee-${database}`);
      const unknown = await dee.put("/api/byok", { ...compatible, api_key: GOOD });
      expect(failure(unknown)).toEqual([502, "provider_failed", undefined]);
    });

    it("refuses a key that the provider rejects, and keeps the stored entry", async () => {
      await save(ada);
      const refused = await save(ada, { api_key: "sk-wrong", text_model: "another" });
      expect(failure(refused)).toEqual([400, "byok_key_rejected", undefined]);
      expect(await keysOf(ada)).toMatchObject([{ hint: "-ada", text_model: "text-model" }]);
      const ben = await hub.member(`ben-${database}`);
      expect((await save(ben, { api_key: "sk-wrong" })).status).toBe(400);
      expect(await keysOf(ben)).toEqual([]);
    });

    it.each([
      ["breaks the connection", "reset"],
      ["responds with HTML", "html"],
      ["responds with 429", { status: 429 }],
      ["responds with 500", { status: 500 }],
      ["redirects", { redirect: "http://127.0.0.1:1/" }],
    ] as const)("saves nothing if the provider %s", async (_, fault) => {
      own.failNext(fault);
      const answer = await save(ada);
      expect(failure(answer)).toEqual([502, "provider_failed", undefined]);
      expect(answer.text).not.toContain("own words");
      expect(await keysOf(ada)).toEqual([]);
    });

    it.each([
      ["no provider", { provider: undefined }, "provider"],
      ["an unknown provider", { provider: "offline" }, "provider"],
      ["no key without a stored one", { api_key: undefined }, "api_key"],
      ["an empty key", { api_key: "" }, "api_key"],
      ["a key with a line break", { api_key: "sk-a\r\nx: y" }, "api_key"],
      ["a key beyond ASCII", { api_key: "sk-ключ" }, "api_key"],
      ["a key of 2,001 characters", { api_key: "k".repeat(2_001) }, "api_key"],
      ["null as the key", { api_key: null }, "api_key"],
      ["a model name with ..", { text_model: "../../files" }, "text_model"],
      ["an empty model name", { vision_model: "" }, "vision_model"],
      ["no base_url", { base_url: undefined }, "base_url"],
      ["null as base_url", { base_url: null }, "base_url"],
      ["a base_url for openai", { provider: "openai" }, "base_url"],
      ["a base_url above 500 characters", { base_url: `http://a/${"x".repeat(500)}` }, "base_url"],
      ["a number as active", { active: 1 }, "active"],
    ])("refuses %s", async (_, change, field) => {
      const requests = own.requests.length;
      expect(failure(await save(ada, change))).toEqual([400, "invalid_input", [field]]);
      expect(own.requests.length).toBe(requests);
      expect(await keysOf(ada)).toEqual([]);
    });

    it("changes the stored entry without a new key, and keeps omitted fields", async () => {
      await save(ada, { vision_model: "llava" });
      const requests = own.requests.length;
      const change = (fields: object) =>
        ada.put("/api/byok", { provider: "openai-compatible", ...fields });
      expect((await change({ text_model: "larger" })).body.key).toMatchObject({
        hint: "-ada",
        text_model: "larger",
        vision_model: "llava",
        base_url: own.url,
      });
      expect((await change({ vision_model: null, active: false })).body.key).toMatchObject({
        text_model: "larger",
        vision_model: null,
        active: false,
      });
      expect(own.requests.length).toBe(requests);
      // A new base_url is saved only if the server at that URL accepts the stored key.
      expect((await change({ base_url: second.url })).body.error).toBe("byok_key_rejected");
      expect((await change({ base_url: `${own.url}/` })).body.key.base_url).toBe(own.url);
      expect((await change({ api_key: OTHER })).body.key).toMatchObject({
        hint: "-key",
        text_model: "larger",
        active: true,
      });
    });

    it.each([
      ["openai", "gpt-5-mini"],
      ["anthropic", "claude-haiku-4-5"],
      ["google", "gemini-2.5-flash"],
    ])("has a default model for %s", async (provider, text_model) => {
      const api_key = provider === "openai" ? GOOD : "sk-wrong";
      const answer = await ada.put("/api/byok", { provider, api_key });
      // The local server accepts keys in OpenAI's header only.
      if (provider === "openai")
        expect(answer.body.key).toMatchObject({ text_model, base_url: null });
      else expect(failure(answer)).toEqual([400, "byok_key_rejected", undefined]);
    });

    it("keeps one provider active under concurrent saves", async () => {
      await save(ada);
      await ada.put("/api/byok", { provider: "openai", api_key: GOOD });
      const active = async () =>
        (await keysOf(ada))
          .filter((key: { active: boolean }) => key.active)
          .map((key: { provider: string }) => key.provider);
      expect(await active()).toEqual(["openai"]);
      await ada.put("/api/byok", { provider: "openai", active: false });
      expect(await active()).toEqual([]);
      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, at) =>
          at % 2 === 0
            ? save(ada, { text_model: `model-${at}` })
            : ada.put("/api/byok", { provider: "openai", text_model: `model-${at}` }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(await active()).toHaveLength(1);
      expect(await keysOf(ada)).toHaveLength(2);
    });

    it("never combines a key with a base_url that it was not checked at", async () => {
      const compatible = { provider: "openai-compatible" };
      await ada.put("/api/byok", { ...compatible, api_key: OTHER, base_url: own.url });
      // Both providers accept OTHER, the stored key. The second provider's check lasts until
      // another save stores GOOD, which that provider rejects.
      const hold = Promise.withResolvers<void>();
      const { ownModels } = hub.hub;
      hub.hub.ownModels = {
        ...ownModels,
        async check(key, signal) {
          await ownModels.check(key, signal);
          if (key.baseUrl === second.url) await hold.promise;
        },
      };
      const moving = ada.put("/api/byok", { ...compatible, base_url: second.url });
      await second.received(1);
      expect((await ada.put("/api/byok", { ...compatible, api_key: GOOD })).status).toBe(200);
      hold.resolve();
      expect(failure(await moving)).toEqual([400, "byok_key_rejected", undefined]);
      hub.hub.ownModels = ownModels;
      expect(await keysOf(ada)).toMatchObject([{ hint: "-ada", base_url: own.url }]);
    });

    it("keeps a model that another save changed during the check", async () => {
      const compatible = { provider: "openai-compatible" };
      await save(ada, { api_key: OTHER });
      const { ownModels } = hub.hub;
      const renamed = Promise.withResolvers<void>();
      hub.hub.ownModels = {
        ...ownModels,
        async check(key, signal) {
          await ownModels.check(key, signal);
          await renamed.promise;
        },
      };
      const requests = second.requests.length;
      const moving = ada.put("/api/byok", { ...compatible, base_url: second.url });
      await second.received(requests + 1);
      const rename = await ada.put("/api/byok", { ...compatible, text_model: "larger" });
      expect(rename.status).toBe(200);
      renamed.resolve();
      expect((await moving).body.key).toMatchObject({ text_model: "larger", base_url: second.url });
      hub.hub.ownModels = ownModels;
    });

    it("is cancelled when its tRPC caller disconnects, which is no unexpected error", async () => {
      const requests = own.requests.length;
      own.failNext("hang");
      const client = new AbortController();
      const call = fetch(`${hub.url}/trpc/byok.save`, {
        method: "POST",
        body: JSON.stringify({ provider: "openai", api_key: GOOD }),
        signal: client.signal,
        headers: { "content-type": "application/json", authorization: `Bearer ${ada.apiKey}` },
      });
      const request = await own.received(requests + 1);
      client.abort();
      await expect(call).rejects.toThrow();
      expect(await request.ended).toBe("cancelled");
      await hub.hub.modelCalls.idle();
      // When this later call is answered, the cancelled call has already logged its outcome.
      expect(await keysOf(ada)).toEqual([]);
      expect(hub.log.join("")).not.toContain("a call failed");
    });

    it("is refused from another site's page", async () => {
      const browser = await signedIn(hub, `carl-${database}`);
      const { status, body } = await browser.post(
        "/trpc/byok.save",
        { provider: "openai", api_key: GOOD },
        { "sec-fetch-site": "cross-site" },
      );
      expect([status, body.error.data.error]).toEqual([403, "csrf_rejected"]);
    });
  });

  describe("GET and DELETE /api/byok", () => {
    it("cover the caller's keys only", async () => {
      await save(ada);
      const dora = await hub.member(`dora-${database}`);
      expect(await keysOf(dora)).toEqual([]);
      const { status } = await dora.delete("/api/byok?provider=openai-compatible");
      expect(status).toBe(200);
      expect(await keysOf(ada)).toHaveLength(1);
    });

    it("accept the provider as query or body, and succeed without a stored key", async () => {
      const json = { "content-type": "application/json" };
      await save(ada);
      await ada.put("/api/byok", { provider: "openai", api_key: GOOD });
      const { body } = await ada.delete("/api/byok?provider=openai-compatible");
      expect(body).toEqual({ success: true, message: expect.stringContaining("deleted") });
      expect(await keysOf(ada)).toMatchObject([{ provider: "openai" }]);
      const inBody = await ada.send("DELETE", "/api/byok", '{"provider":"openai"}', json);
      expect(inBody.status).toBe(200);
      expect(await keysOf(ada)).toEqual([]);
      expect((await ada.delete("/api/byok?provider=openai")).status).toBe(200);
      expect(failure(await ada.delete("/api/byok"))).toEqual([400, "invalid_input", ["provider"]]);
      expect((await ada.delete("/api/byok?provider=else")).status).toBe(400);
    });

    it("list a key that cannot be decrypted with an empty hint", async () => {
      await save(ada);
      await sql`update provider_keys set api_key_sealed = 'v1.gone.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAA'`.execute(
        hub.hub.database.db,
      );
      expect(await keysOf(ada)).toMatchObject([{ provider: "openai-compatible", hint: "" }]);
      const moved = { provider: "openai-compatible", base_url: second.url };
      const refused = await ada.put("/api/byok", moved);
      expect(failure(refused)).toEqual([400, "invalid_input", ["api_key"]]);
      const inactive = { provider: "openai-compatible", active: false };
      expect((await ada.put("/api/byok", inactive)).body.key).toMatchObject({ active: false });
      expect((await save(ada)).body.key.hint).toBe("-ada");
    });
  });

  it("are available over tRPC with a session", async () => {
    const browser = await signedIn(hub, `emil-${database}`);
    const { body } = await browser.post("/trpc/byok.save", { provider: "openai", api_key: GOOD });
    expect(body.result.data.key).toMatchObject({ provider: "openai", hint: "-ada", active: true });
    const listed = await browser.get("/trpc/byok.list");
    expect(listed.body.result.data.keys).toHaveLength(1);
    await browser.post("/trpc/byok.delete", { provider: "openai" });
    expect((await browser.get("/trpc/byok.list")).body.result.data.keys).toEqual([]);
    expect((await browser.get("/api/byok")).status).toBe(401);
  });
});
