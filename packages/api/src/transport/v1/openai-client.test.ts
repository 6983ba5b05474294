import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configFor } from "../../chat/models/models.fixture.ts";
import { createModels } from "../../chat/models/models.ts";
import type { Actor } from "../../testing/actor.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { ruleDatabase } from "../../testing/test-database.ts";
import { chatKeyOf, startV1Hub, unitsLeft, type V1Hub } from "./v1.fixture.ts";

/** Souls as models of the stock client `openai` (0051). */
describe("the client openai", () => {
  const database = ruleDatabase();
  let hub: V1Hub;
  let key: Actor;
  let client: OpenAI;
  beforeAll(async () => {
    hub = await startV1Hub();
    key = await chatKeyOf(hub, hub.vera);
    client = hub.client(key);
  });
  afterAll(() => hub.close());

  const question = [{ role: "user" as const, content: "Is it dark?" }];
  const ask = (more: object = {}) =>
    client.chat.completions.create({ model: hub.model, messages: question, ...more });
  const failureOf = (call: Promise<unknown>) =>
    call.then(
      () => "no error",
      (error) => error,
    );

  it("lists and retrieves models by owner and number", async () => {
    const { data } = await client.models.list();
    expect(data[0]).toEqual({
      id: hub.model,
      object: "model",
      created: expect.any(Number),
      owned_by: "vera",
      name: "Keeper of the Light",
      description: "",
    });
    for (const name of [hub.model, `soul-${hub.soulId}`, `VERA/another-title-${hub.soulId}`]) {
      expect((await client.models.retrieve(name)).id).toBe(hub.model);
    }
    const plain = await key.get(`/v1/models/${hub.model}`);
    expect([plain.status, plain.body.id]).toEqual([200, hub.model]);
  });

  it("completes, with the soul in the prompt and the provider's usage", async () => {
    const completion = await ask();
    expect(completion).toMatchObject({
      object: "chat.completion",
      model: hub.model,
      choices: [{ index: 0, message: { role: "assistant", refusal: null }, finish_reason: "stop" }],
      usage: { prompt_tokens: 11 },
    });
    expect(completion.choices[0]?.message.content).toContain("I keep the lighthouse at Skarholm");
    const { usage } = completion;
    expect(usage?.total_tokens).toBe(11 + (usage?.completion_tokens ?? 0));
  });

  it("streams, with the role first and the usage last", async () => {
    const chunks = [];
    const options = { stream: true as const, stream_options: { include_usage: true } };
    const call = { model: hub.model, messages: question, ...options };
    for await (const chunk of await client.chat.completions.create(call)) chunks.push(chunk);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
    expect(text).toContain("You said “Is it dark?”");
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe("stop");
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 11 } });
  });

  it("finds the text in the last chunk if reasoning was streamed before it was known", async () => {
    const chunk = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
    const stop = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
    const events = [chunk("SECRET"), stop, chunk("</think>Hello."), stop];
    // What the hub learns about a model stays with its models.
    const { models } = hub.hub;
    hub.hub.models = createModels(configFor(hub.provider));
    const call = { model: hub.model, messages: question };
    hub.provider.failNext({ events }, { events });
    const chunks = [];
    for await (const one of await client.chat.completions.create({ ...call, stream: true })) {
      chunks.push(one);
    }
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toContain(
      "SECRET",
    );
    expect(chunks.at(-1)).toMatchObject({ soul_hub: { text: "Hello." } });
    const whole = await client.chat.completions.create(call);
    expect(whole.choices[0]?.message.content).toBe("Hello.");
    hub.hub.models = models;
  });

  it("stores nothing and costs one unit", async () => {
    const before = await unitsLeft(hub.vera);
    await ask();
    expect(await unitsLeft(hub.vera)).toBe(before - 1);
    const { db } = hub.hub.database;
    expect(await db.selectFrom("chat_messages").select("id").execute()).toEqual([]);
    expect(await db.selectFrom("quota_holds").select("id").execute()).toEqual([]);
  });

  it("gets failures as its error classes", async () => {
    const bad = hub.client({ apiKey: "shk_bad" });
    const unauthenticated = await failureOf(bad.models.list());
    expect(unauthenticated).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(unauthenticated).toMatchObject({
      code: "invalid_api_key",
      type: "authentication_error",
    });
    const missing = await failureOf(ask({ model: "openai/gpt-4" }));
    expect(missing).toBeInstanceOf(OpenAI.NotFoundError);
    expect(missing).toMatchObject({ code: "model_not_found", type: "invalid_request_error" });
    const fred = await hub.member(`fred-${database}`);
    const free = hub.client(await chatKeyOf(hub, fred));
    const refused = await failureOf(
      free.chat.completions.create({ model: hub.model, messages: question }),
    );
    expect(refused).toBeInstanceOf(OpenAI.PermissionDeniedError);
    expect(refused).toMatchObject({ code: "pass_required", type: "permission_error" });
    const wrong = await failureOf(ask({ temperature: 3 }));
    expect(wrong).toBeInstanceOf(OpenAI.BadRequestError);
    expect(wrong).toMatchObject({ code: "invalid_input", param: "temperature" });
  });

  it("asks once, not thrice, where the quota is used up", async () => {
    const vic = await hub.vip(`vic-${database}`);
    const { db } = hub.hub.database;
    const { id } = await db
      .selectFrom("accounts")
      .select("id")
      .where("username", "=", vic.name)
      .executeTakeFirstOrThrow();
    const day = new Date().toISOString().slice(0, 10);
    const spent = { subject: `account:${id}`, day, used: 200, premium_used: 0 };
    await db.insertInto("quota_days").values(spent).execute();
    let calls = 0;
    const counting = new OpenAI({
      apiKey: (await chatKeyOf(hub, vic)).apiKey,
      baseURL: `${hub.url}/v1`,
      fetch: (input, init) => {
        calls++;
        return fetch(input, init);
      },
    });
    const failure = await failureOf(
      counting.chat.completions.create({ model: hub.model, messages: question }),
    );
    expect(failure).toBeInstanceOf(OpenAI.RateLimitError);
    expect(failure).toMatchObject({ code: "insufficient_quota", type: "insufficient_quota" });
    expect(calls).toBe(1);
  });

  it("gets a failure midway as an error", async () => {
    hub.provider.failNext("cut");
    const streamed = await ask({ stream: true });
    const read = async () => {
      for await (const _ of streamed as unknown as AsyncIterable<unknown>);
    };
    expect(await failureOf(read())).toMatchObject({
      code: "provider_failed",
      type: "server_error",
    });
  });

  it("cancels a stateless call by disconnecting, which costs nothing", async () => {
    const before = await unitsLeft(hub.vera);
    hub.provider.holdNext();
    const asked = hub.provider.requests.length;
    const leaving = new AbortController();
    const call = client.chat.completions.create(
      { model: hub.model, messages: question, stream: true },
      { signal: leaving.signal },
    );
    const request = await hub.provider.received(asked + 1);
    await call;
    leaving.abort();
    expect(await request.ended).toBe("cancelled");
    await eventually(async () => expect(await unitsLeft(hub.vera)).toBe(before));
  });

  it("talks in a live room, whose listeners see the reply while it streams", async () => {
    const room = { soul_id: hub.soulId, session_token: `room-${database}` };
    await using visitor = joinAs(hub, hub.vera, room);
    await eventually(() => expect(visitor.types).toContain("sync"));
    const goOn = hub.provider.holdNext();
    const streamed = await client.chat.completions.create({
      model: hub.model,
      messages: [{ role: "assistant", content: "An old reply." }, ...question],
      stream: true,
      metadata: { session_token: room.session_token },
    });
    await eventually(() => expect(visitor.types).toContain("reply-delta"));
    goOn();
    let text = "";
    let soulHub: unknown;
    for await (const chunk of streamed) {
      text += chunk.choices[0]?.delta.content ?? "";
      soulHub ??= (chunk as { soul_hub?: unknown }).soul_hub;
    }
    await eventually(() => expect(visitor.ids).toHaveLength(2));
    expect(visitor.of("message").map(({ content }) => content)).toEqual(["Is it dark?", text]);
    expect(soulHub).toEqual({
      reply_id: expect.any(String),
      session_token: room.session_token,
    });
    const header = { headers: { "X-Soul-Hub-Session": room.session_token } };
    await client.chat.completions.create({ model: hub.model, messages: question }, header);
    await eventually(() => expect(visitor.ids).toHaveLength(4));
  });

  it.each([
    ["tools", { tools: [{ type: "function", function: { name: "light" } }] }],
    ["response_format", { response_format: { type: "json_object" } }],
    ["n", { n: 2 }],
    ["model", { model: "soul-1:own" }],
  ])("is refused %s in a room", async (param, more) => {
    const failure = await failureOf(ask({ metadata: { session_token: "lobby" }, ...more }));
    expect(failure).toMatchObject({ status: 400, param });
  });
});
