import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Actor, Answer } from "../../testing/actor.ts";
import { type ChatHub, signedIn, startChatHub } from "../../testing/chat-hub.ts";
import { everyText } from "../../testing/every-text.ts";
import { type OpenAiServer, startOpenAiServer } from "../../testing/openai-server.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { hostAndPort } from "./host-and-port.ts";

const GOOD = "sk-a-good-key-of-ada";
const OTHER = "sk-another-good-key";

/** Decisions §5, BYOK. */
describe.each(testDatabases())("own provider keys (on %s)", (database) => {
  let own: OpenAiServer;
  /** Has no list of models. */
  let plain: OpenAiServer;
  /** Takes only one of the two keys. */
  let second: OpenAiServer;
  let hub: ChatHub;
  let ada: Actor;
  beforeAll(async () => {
    own = await startOpenAiServer({ keys: [GOOD, OTHER] });
    plain = await startOpenAiServer({ keys: [GOOD], listsModels: false });
    second = await startOpenAiServer({ keys: [OTHER] });
    hub = await startChatHub({
      database,
      ownModelsOptions: {
        allowedHosts: [own, plain, second].map(({ url }) => hostAndPort(new URL(url))),
        // The stand-in speaks OpenAI's protocol, which is all that a list of models needs.
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
    it("tries the key with one call, keeps it and shows its last four characters", async () => {
      const asked = own.requests.length;
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
      expect(own.requests.slice(asked).map(({ path }) => path)).toEqual(["/v1/models"]);
      expect(await keysOf(ada)).toEqual([key]);
      expect(JSON.stringify(await everyText(hub.hub.database))).not.toContain(GOOD);
      expect(hub.log.join("")).not.toContain(GOOD);
    });

    it("asks for one token where there is no list of models", async () => {
      const compatible = { provider: "openai-compatible", base_url: plain.url };
      const withModel = { ...compatible, text_model: "text-model" };
      expect((await ada.put("/api/byok", { ...withModel, api_key: GOOD })).status).toBe(200);
      expect(plain.requests.at(-1)?.body).toMatchObject({ model: "text-model", max_tokens: 1 });
      const refused = await ada.put("/api/byok", { ...withModel, api_key: "sk-wrong" });
      expect(failure(refused)).toEqual([400, "byok_key_rejected", undefined]);
      // Without a model nobody can say whether it is good.
      const dee = await hub.member(`dee-${database}`);
      const unknown = await dee.put("/api/byok", { ...compatible, api_key: GOOD });
      expect(failure(unknown)).toEqual([502, "provider_failed", undefined]);
    });

    it("refuses a key that the provider refuses, and keeps what was there", async () => {
      await save(ada);
      const refused = await save(ada, { api_key: "sk-wrong", text_model: "another" });
      expect(failure(refused)).toEqual([400, "byok_key_rejected", undefined]);
      expect(await keysOf(ada)).toMatchObject([{ hint: "-ada", text_model: "text-model" }]);
      const ben = await hub.member(`ben-${database}`);
      expect((await save(ben, { api_key: "sk-wrong" })).status).toBe(400);
      expect(await keysOf(ben)).toEqual([]);
    });

    it.each([
      ["is down", "reset"],
      ["answers a page", "html"],
      ["is busy", { status: 429 }],
      ["fails", { status: 500 }],
      ["leads elsewhere", { redirect: "http://127.0.0.1:1/" }],
    ] as const)("saves nothing when the provider %s", async (_, fault) => {
      own.failNext(fault);
      const answer = await save(ada);
      expect(failure(answer)).toEqual([502, "provider_failed", undefined]);
      expect(answer.text).not.toContain("own words");
      expect(await keysOf(ada)).toEqual([]);
    });

    it.each([
      ["no provider", { provider: undefined }, "provider"],
      ["a provider there is not", { provider: "offline" }, "provider"],
      ["no key, and none stored", { api_key: undefined }, "api_key"],
      ["an empty key", { api_key: "" }, "api_key"],
      ["a key of two lines", { api_key: "sk-a\r\nx: y" }, "api_key"],
      ["a key that is no ASCII", { api_key: "sk-ключ" }, "api_key"],
      ["an endless key", { api_key: "k".repeat(2_001) }, "api_key"],
      ["null as the key", { api_key: null }, "api_key"],
      ["a model that climbs", { text_model: "../../files" }, "text_model"],
      ["an empty model", { vision_model: "" }, "vision_model"],
      ["no address", { base_url: undefined }, "base_url"],
      ["null as the address", { base_url: null }, "base_url"],
      ["an address for another provider", { provider: "openai" }, "base_url"],
      ["an endless address", { base_url: `http://a/${"x".repeat(500)}` }, "base_url"],
      ["active that is no boolean", { active: 1 }, "active"],
    ])("refuses %s", async (_, change, field) => {
      const asked = own.requests.length;
      expect(failure(await save(ada, change))).toEqual([400, "invalid_input", [field]]);
      expect(own.requests.length).toBe(asked);
      expect(await keysOf(ada)).toEqual([]);
    });

    it("changes what is stored without a new key, and leaves alone what is not named", async () => {
      await save(ada, { vision_model: "llava" });
      const asked = own.requests.length;
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
      expect(own.requests.length).toBe(asked);
      // Another address is another provider: the stored key is tried there first.
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
    ])("knows a usual model of %s", async (provider, text_model) => {
      const google = provider === "openai" ? GOOD : "sk-wrong";
      const answer = await ada.put("/api/byok", { provider, api_key: google });
      // The stand-in reads keys as OpenAI sends them.
      if (provider === "openai")
        expect(answer.body.key).toMatchObject({ text_model, base_url: null });
      else expect(failure(answer)).toEqual([400, "byok_key_rejected", undefined]);
    });

    it("has one provider active at a time, also when many are saved at once", async () => {
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

    it("never puts a key it has not tried at an address it was not tried at", async () => {
      const compatible = { provider: "openai-compatible" };
      await ada.put("/api/byok", { ...compatible, api_key: OTHER, base_url: own.url });
      // The stored key is good at both; while it is tried at the second, it becomes one that is not.
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

    it("is a change that another site's page can't make", async () => {
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
    it("are each account's own", async () => {
      await save(ada);
      const dora = await hub.member(`dora-${database}`);
      expect(await keysOf(dora)).toEqual([]);
      const { status } = await dora.delete("/api/byok?provider=openai-compatible");
      expect(status).toBe(200);
      expect(await keysOf(ada)).toHaveLength(1);
    });

    it("delete by address or by body, harmlessly where there is nothing", async () => {
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

    it("still list a key that can't be opened, without a hint", async () => {
      await save(ada);
      await sql`update provider_keys set api_key_sealed = 'v1.gone.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAA'`.execute(
        hub.hub.database.db,
      );
      expect(await keysOf(ada)).toMatchObject([{ provider: "openai-compatible", hint: "" }]);
      const elsewhere = { provider: "openai-compatible", base_url: second.url };
      const refused = await ada.put("/api/byok", elsewhere);
      expect(failure(refused)).toEqual([400, "invalid_input", ["api_key"]]);
      const aside = { provider: "openai-compatible", active: false };
      expect((await ada.put("/api/byok", aside)).body.key).toMatchObject({ active: false });
      expect((await save(ada)).body.key.hint).toBe("-ada");
    });
  });

  it("are there on the tRPC door, for a session too", async () => {
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
