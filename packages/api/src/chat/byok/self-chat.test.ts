import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../../testing/actor.ts";
import {
  type ChatHub,
  failureOf,
  openRoom,
  PNG,
  type RoomName,
  remaining,
  say,
  signedIn,
  startChatHub,
  sync,
} from "../../testing/chat-hub.ts";
import { everyText } from "../../testing/every-text.ts";
import type { OpenAiServer } from "../../testing/openai-server.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { KEY, type OwnProviderHub, startOwnProviderHub } from "./own-provider.fixture.ts";

/** POST /api/self-chat (specification §4.2; decisions §5, BYOK). */
describe("POST /api/self-chat", () => {
  const database = ruleDatabase();
  let world: OwnProviderHub;
  let own: OpenAiServer;
  let hub: ChatHub;
  let owner: Actor;
  let ada: Actor;
  let room: RoomName;

  beforeAll(async () => {
    world = await startOwnProviderHub(database);
    ({ own, hub, owner, ada, room } = world);
  });
  beforeEach(() => world.reset());
  afterAll(() => world.close());

  const ask: OwnProviderHub["ask"] = (...given) => world.ask(...given);

  it("calls the caller's own provider with the soul and this message only", async () => {
    await say(owner, room, "A message of the room");
    const platform = hub.provider.requests.length;
    const { status, body } = await ask(ada);
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      reply: expect.stringContaining("I keep the lighthouse"),
      sender_name: "Orla",
    });
    const seen = own.requests.at(-1);
    expect(seen).toMatchObject({ model: "own-text", authorization: `Bearer ${KEY}`, stream: true });
    expect(seen?.system).toContain("I keep the lighthouse at Skarholm");
    expect(seen?.messages).toHaveLength(1);
    expect(seen?.messages[0]?.content).toContain("Is it dark?");
    expect(JSON.stringify(seen?.body)).not.toContain("A message of the room");
    expect(hub.provider.requests.length).toBe(platform);
  });

  it("stores no message, creates no room and uses no quota", async () => {
    const stored = async () =>
      (await everyText(hub.hub.database)).filter(({ at }) => /^(chat|quota)_/.test(at)).length;
    const before = [await stored(), await remaining(ada)];
    const elsewhere = { session_token: "never-written-in" };
    expect((await ask(ada, elsewhere)).status).toBe(200);
    expect((await ask(ada, { ...elsewhere, is_private: true })).status).toBe(200);
    expect([await stored(), await remaining(ada)]).toEqual(before);
    expect((await sync(owner, { ...room, ...elsewhere })).body.new_messages).toEqual([]);
    expect((await ada.get("/api/my-chats")).body.sessions).toEqual([]);
  });

  it("succeeds without daily quota and with an expired pass", async () => {
    const late = await hub.member(`late-${database}`);
    await world.saveKey(late);
    await hub.pass(late, "vip", { expires_at: "2020-01-01 00:00:00" });
    await sql`insert into quota_days (subject, day, used)
      select 'account:' || id, (hub_now() at time zone 'utc')::date, 1000 from accounts
      where username = ${late.name}`.execute(hub.hub.database.db);
    expect(await remaining(late)).toBe(0);
    expect((await ask(late)).status).toBe(200);
  });

  it("accepts an image if the key has a vision model, on every plan", async () => {
    expect(failureOf(await ask(ada, { image: PNG }))).toEqual([403, "image_not_allowed"]);
    await ada.put("/api/byok", { provider: "openai-compatible", vision_model: "own-vision" });
    expect((await ask(ada, { image: PNG, content: "" })).status).toBe(200);
    expect(own.requests.at(-1)).toMatchObject({
      model: "own-vision",
      messages: [{ images: [PNG] }],
    });
    expect((await ask(ada, { image: null })).status).toBe(200);
    expect(own.requests.at(-1)?.model).toBe("own-text");
    expect(failureOf(await ask(ada, { image: "data:image/png;base64,AAAA" }))).toEqual([
      400,
      "image_invalid",
    ]);
  });

  it("needs an active key", async () => {
    await ada.put("/api/byok", { provider: "openai-compatible", active: false });
    expect(failureOf(await ask(ada))).toEqual([403, "byok_inactive"]);
    await ada.delete("/api/byok?provider=openai-compatible");
    expect(failureOf(await ask(ada))).toEqual([403, "byok_inactive"]);
  });

  it("needs a text model if the provider has no default", async () => {
    await ada.put("/api/byok", { provider: "openai-compatible", text_model: null });
    const requests = own.requests.length;
    const answer = await ask(ada);
    expect(failureOf(answer)).toEqual([403, "byok_inactive"]);
    expect(answer.body.message).toContain("text_model");
    expect(own.requests.length).toBe(requests);
  });

  it("reports a rejected key on each call, and accepts a corrected one at once", async () => {
    world.keys.splice(0);
    for (let n = 0; n < 7; n++)
      expect(failureOf(await ask(ada))).toEqual([403, "byok_key_rejected"]);
    world.keys.push(KEY);
    expect((await ask(ada)).status).toBe(200);
  });

  it("enforces access to private souls and rooms", async () => {
    const hidden = await openRoom(owner, { is_public: 0 });
    expect(failureOf(await ask(ada, hidden))).toEqual([404, "soul_not_found"]);
    expect(failureOf(await ask(ada, { soul_id: 999_999 }))).toEqual([404, "soul_not_found"]);
    await world.saveKey(owner);
    expect((await ask(owner, hidden)).status).toBe(200);
    const closed = { ...room, session_token: "closed" };
    await say(owner, closed, "Just me", { is_private: true });
    expect(failureOf(await ask(ada, closed))).toEqual([403, "private_session"]);
  });

  it("limits the message length by plan", async () => {
    expect(failureOf(await ask(ada, { content: "é".repeat(2_001) }))).toEqual([
      400,
      "input_too_long",
    ]);
    expect((await ask(ada, { content: "é".repeat(2_000) })).status).toBe(200);
    expect(failureOf(await ask(ada, { content: " \n" }))).toEqual([400, "invalid_input"]);
  });

  it.each([
    ["responds with 500", { status: 500 }, "The model provider failed"],
    ["responds with HTML", "html", "The model provider failed"],
    ["sends an empty reply", "empty", "The model provider failed"],
    ["redirects", { redirect: "http://127.0.0.1:1/v1" }, "The model provider failed"],
    ["responds with 402", { status: 402 }, "reports that your key has reached its limit"],
    ["responds with 429", { status: 429 }, "reports that your key has reached its limit"],
    ["responds with 404", { status: 404 }, "does not know the model"],
    ["responds with 400", { status: 400 }, "refused the request"],
  ] as const)("explains the failure if the provider %s", async (_, fault, words) => {
    own.failNext(fault, fault);
    const answer = await ask(ada);
    expect(failureOf(answer)).toEqual([502, "provider_failed"]);
    expect(answer.body.message).toContain(words);
    expect(answer.text).not.toContain("own words");
    // Uses up the second injected fault, in case the hub did not retry the failed call.
    await ask(ada);
  });

  it("has a circuit breaker per key", async () => {
    const zoe = await hub.member(`zoe-${database}`);
    await world.saveKey(zoe);
    for (let n = 0; n < 5; n++) {
      own.failNext({ status: 500 }, { status: 500 });
      expect(failureOf(await ask(ada))).toEqual([502, "provider_failed"]);
    }
    const requests = own.requests.length;
    const refused = await ask(ada);
    expect(failureOf(refused)).toEqual([502, "provider_failed"]);
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(own.requests.length).toBe(requests);
    // Another account's key at the same host, and the platform's models, still work.
    expect((await ask(zoe)).status).toBe(200);
    expect((await say(owner, room, "Good evening")).status).toBe(200);
    // Saving the key again resets its circuit breaker.
    await world.saveKey(ada);
    expect((await ask(ada)).status).toBe(200);
  });

  it("writes usage rows with own_key", async () => {
    await hub.hub.modelUsage.flush();
    await hub.hub.database.db.deleteFrom("model_usage").execute();
    await ask(ada);
    world.keys.splice(0);
    await ask(ada);
    await hub.hub.modelUsage.flush();
    const rows = await hub.hub.database.db
      .selectFrom("model_usage")
      .innerJoin("accounts", "accounts.id", "model_usage.account_id")
      .select(["username", "provider", "model", "own_key", "outcome", "output_tokens"])
      .orderBy("at")
      .execute();
    const provider = "openai-compatible";
    const call = { username: "ada", provider, model: "own-text", own_key: true };
    expect(rows).toEqual([
      { ...call, outcome: "ok", output_tokens: expect.any(Number) },
      { ...call, outcome: "byok_key_rejected", output_tokens: null },
    ]);
  });

  it("is available over tRPC with a session, and not for guests", async () => {
    const browser = await signedIn(hub, `bea-${database}`);
    const call = () => browser.post("/trpc/chat.selfChat", { ...room, content: "Is it dark?" });
    const refused = await call();
    expect(failureOf(refused)).toEqual([403, "byok_inactive"]);
    await browser.post("/trpc/byok.save", {
      provider: "openai-compatible",
      api_key: KEY,
      base_url: own.url,
      text_model: "own-text",
    });
    expect((await call()).body.result.data).toEqual({
      reply: expect.stringContaining("lighthouse"),
      sender_name: "Orla",
    });
    const guest = await hub.guest().post("/trpc/chat.selfChat", { ...room, content: "Hello" });
    expect(guest.status).toBe(401);
  });

  it("decrypts no key that was moved to another account or provider in the database", async () => {
    const eve = await hub.member(`eve-${database}`);
    await world.saveKey(eve);
    const { db } = hub.hub.database;
    const requests = own.requests.length;
    await sql`update provider_keys set api_key_sealed = (
      select taken.api_key_sealed from provider_keys as taken join accounts on accounts.id = account_id
      where username = 'ada') where account_id = (
      select id from accounts where username = ${eve.name})`.execute(db);
    const { status, body } = await ask(eve);
    expect([status, body.message]).toEqual([403, expect.stringContaining("cannot be decrypted")]);
    await sql`update provider_keys set provider = 'openai', base_url = null where account_id = (
      select id from accounts where username = 'ada')`.execute(db);
    expect(failureOf(await ask(ada))).toEqual([403, "byok_inactive"]);
    expect(own.requests.length).toBe(requests);
    for (const who of [eve, ada]) {
      expect((await who.get("/api/byok")).body.keys).toMatchObject([{ hint: "" }]);
    }
  });

  it("calls no host that the operator removed from the list", async () => {
    await using later = await startChatHub({
      database: hub.hub.database,
      ownModelsOptions: { allowedHosts: [] },
    });
    const requests = own.requests.length;
    const headers = { authorization: `Bearer ${ada.apiKey}` };
    const message = { ...room, content: "Hello" };
    const refused = await later.guest().post("/api/self-chat", message, headers);
    expect(failureOf(refused)).toEqual([403, "byok_inactive"]);
    const change = (fields: object) =>
      later.guest().put("/api/byok", { provider: "openai-compatible", ...fields }, headers);
    expect(failureOf(await change({ api_key: KEY }))).toEqual([400, "invalid_input"]);
    expect((await change({ active: false })).body.key).toMatchObject({ active: false });
    expect(own.requests.length).toBe(requests);
  });
});
