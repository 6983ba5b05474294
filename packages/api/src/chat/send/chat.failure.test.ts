import { beforeEach, expect, it } from "vitest";
import { failureOf, history, openRoom, PNG, remaining, say, sync } from "../../testing/chat-hub.ts";
import { describeRoom } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import type { ServerFault } from "../../testing/openai-server.ts";
import { configFor } from "../models/models.fixture.ts";
import { createModels } from "../models/models.ts";

// Summaries are off. Otherwise a summary's model call could get the injected fault that is meant
// for a reply.
const routes = { vision: "openai:vision-model", keys: { openai: "sk-KEY" }, summary: "offline" };
let now = 0;
const options = {
  routes,
  modelOptions: {
    now: () => now,
    // No server listens at this address.
    baseUrls: { openai: "http://127.0.0.1:9/v1" },
  },
};

/** Decisions §5, Storage and Provider: a failed call stores nothing and refunds its unit once. */
describeRoom("POST /api/chat with a failing reply", options, (hub, vera, room) => {
  /** The database rows that a failed call must leave unchanged. */
  const storedState = async () => {
    const { db } = hub.hub.database;
    return {
      messages: await db.selectFrom("chat_messages").selectAll().execute(),
      rooms: await db.selectFrom("chat_rooms").selectAll().execute(),
      used: await db.selectFrom("quota_days").selectAll().orderBy("subject").execute(),
      holds: await db.selectFrom("quota_holds").selectAll().execute(),
    };
  };

  beforeEach(async () => {
    // An open circuit breaker admits a call after 10 s. The success of this call closes the
    // breaker.
    now += 10_000;
    await say(vera, { ...room, session_token: "first" }, "Hello.");
  });

  /** Runs `work` while model calls have a time limit of 100 ms instead of a minute. */
  const withTimeLimit = async <T>(work: () => Promise<T>): Promise<T> => {
    const { models } = hub.hub;
    hub.hub.models = createModels(configFor(hub.provider, { ...routes, timeoutMs: 100 }));
    return work().finally(() => {
      hub.hub.models = models;
    });
  };

  const faults: [string, ServerFault[], number, string][] = [
    ["responds with 400", [{ status: 400 }], 502, "provider_failed"],
    ["responds with 401", [{ status: 401 }], 502, "provider_failed"],
    ["responds with 403", [{ status: 403 }], 502, "provider_failed"],
    ["responds with 408 twice", [{ status: 408 }, { status: 408 }], 502, "provider_failed"],
    ["responds with 503, then 500", [{ status: 503 }, { status: 500 }], 502, "provider_failed"],
    ["responds with 429 twice", [{ status: 429 }, { status: 429 }], 502, "provider_failed"],
    [
      "responds with 429 and a long Retry-After",
      [{ status: 429, retryAfter: 60 }],
      502,
      "provider_failed",
    ],
    ["breaks the connection twice", ["reset", "cut-silent"], 502, "provider_failed"],
    ["breaks the connection after the first words", ["cut"], 502, "provider_failed"],
    ["sends an error event after the first words", ["error-chunk"], 502, "provider_failed"],
    ["responds with HTML", ["html"], 502, "provider_failed"],
    ["ends the stream early", ["half"], 502, "provider_failed"],
    ["sends invalid UTF-8", ["garbage"], 502, "provider_failed"],
    ["never ends the reply", ["endless"], 502, "provider_failed"],
    ["sends an empty reply", ["empty"], 502, "provider_failed"],
    ["filters the reply", ["filtered"], 502, "provider_failed"],
    ["redirects", [{ redirect: "http://127.0.0.1:9/" }], 502, "provider_failed"],
    ["never responds", ["hang"], 504, "provider_timeout"],
    ["sends headers only", ["silent"], 504, "provider_timeout"],
    ["stops after the first words", ["stall"], 504, "provider_timeout"],
  ];
  it.each(faults)("stores nothing if the provider %s", async (_, queue, status, error) => {
    const before = await storedState();
    const requests = hub.provider.requests.length;
    hub.provider.failNext(...queue);
    const send = () => say(vera, room, "Is it dark?");
    const answer = await (status === 504 ? withTimeLimit(send) : send());
    expect(failureOf(answer)).toEqual([status, error]);
    expect(answer.text).not.toContain("provider's own words");
    expect(hub.provider.requests.length).toBe(requests + queue.length);
    expect(await storedState()).toEqual(before);
    expect((await history(vera, room)).body.messages).toEqual([]);
  });

  it("stores nothing if the provider cannot be reached", async () => {
    const before = await storedState();
    const answer = await say(vera, room, "What is this?", { image: PNG });
    expect(failureOf(answer)).toEqual([502, "provider_failed"]);
    expect(await storedState()).toEqual(before);
  });

  it("says that the model refused, where it did", async () => {
    const before = await storedState();
    const refusal = (delta: object, finish_reason: string | null) => ({
      choices: [{ index: 0, delta, finish_reason }],
    });
    const events = [refusal({ refusal: "provider's own words" }, null), refusal({}, "stop")];
    hub.provider.failNext({ events });
    const { status, body } = await say(vera, room, "Is it dark?");
    expect([status, body.error, body.message]).toEqual([
      502,
      "provider_failed",
      "The model refused to reply.",
    ]);
    expect(await storedState()).toEqual(before);
  });

  it("passes on the provider's Retry-After", async () => {
    hub.provider.failNext({ status: 429, retryAfter: 60 });
    const { headers } = await say(vera, room, "Is it dark?");
    expect(headers.get("retry-after")).toBe("60");
  });

  it("logs model, fault and status, without message texts", async () => {
    const lines = hub.log.length;
    hub.provider.failNext({ status: 401 });
    await say(vera, room, "Is it dark?");
    const logged = hub.log.slice(lines).map((line) => JSON.parse(line));
    expect(logged).toContainEqual(
      expect.objectContaining({
        provider: "openai-compatible",
        model: "text-model",
        status: 401,
        msg: "a model call failed",
      }),
    );
    expect(JSON.stringify(logged)).not.toMatch(/Is it dark|sk-KEY|own words|lighthouse/);
  });

  it("sends reply-failed to the room after asked", async () => {
    await using visitor = joinAs(hub, vera, room);
    await eventually(() => expect(visitor.types).toEqual(["sync"]));
    hub.provider.failNext({ status: 400 });
    await say(vera, room, "Is it dark?");
    await eventually(() => expect(visitor.types).toEqual(["sync", "asked", "reply-failed"]));
    const [question] = visitor.of("asked");
    expect(visitor.of("reply-failed")[0]).toMatchObject({
      reply_id: question?.reply_id,
      error: "provider_failed",
    });
  });

  it("stores one exchange and takes one unit if the retry succeeds", async () => {
    const left = await remaining(vera);
    hub.provider.failNext({ status: 503 });
    expect((await say(vera, room, "Is it dark?")).status).toBe(200);
    expect(await remaining(vera)).toBe(left - 1);
    expect((await history(vera, room)).body.messages).toHaveLength(2);
  });

  it("refunds the unit to the day it was taken from", async () => {
    const days = () =>
      hub.hub.database.db.selectFrom("quota_days").select(["day", "used"]).orderBy("day").execute();
    const before = await days();
    const requests = hub.provider.requests.length;
    hub.provider.failNext("hang");
    await withTimeLimit(async () => {
      const failing = say(vera, room, "Is it dark?");
      await hub.provider.received(requests + 1);
      await hub.moveClock("1 day");
      expect((await failing).status).toBe(504);
    });
    await hub.moveClock("0");
    expect(await days()).toEqual(before);
  });

  it("responds with soul_not_found if the soul is deleted meanwhile", async () => {
    const doomed = await openRoom(vera);
    const left = await remaining(vera);
    const requests = hub.provider.requests.length;
    const release = hub.provider.holdNext();
    const pending = say(vera, doomed, "Are you there?");
    await hub.provider.received(requests + 1);
    expect((await vera.delete(`/api/soul/${doomed.soul_id}`)).status).toBe(200);
    release();
    expect(failureOf(await pending)).toEqual([404, "soul_not_found"]);
    expect(await remaining(vera)).toBe(left);
    expect((await sync(vera, doomed)).body.error).toBe("soul_not_found");
    expect((await storedState()).holds).toEqual([]);
  });

  it("responds with soul_not_found if the soul of a room with messages is deleted meanwhile", async () => {
    const doomed = await openRoom(vera);
    await say(vera, doomed, "Hello.");
    const left = await remaining(vera);
    const requests = hub.provider.requests.length;
    const release = hub.provider.holdNext();
    const pending = say(vera, doomed, "Are you there?");
    await hub.provider.received(requests + 1);
    await vera.delete(`/api/soul/${doomed.soul_id}`);
    release();
    expect((await pending).body.error).toBe("soul_not_found");
    expect(await remaining(vera)).toBe(left);
  });

  it("responds with soul_not_found if the soul is deleted before its room becomes private", async () => {
    const doomed = await openRoom(vera);
    const left = await remaining(vera);
    const { reserveUnits } = hub.hub;
    hub.hub.reserveUnits = async (units) => {
      hub.hub.reserveUnits = reserveUnits;
      await vera.delete(`/api/soul/${doomed.soul_id}`);
      return reserveUnits(units);
    };
    const answer = await say(vera, doomed, "Are you there?", { is_private: true });
    expect(failureOf(answer)).toEqual([404, "soul_not_found"]);
    expect(await remaining(vera)).toBe(left);
  });

  it("fails at once with Retry-After while the circuit breaker is open", async () => {
    const left = await remaining(vera);
    hub.provider.failNext(...Array<ServerFault>(10).fill({ status: 500 }));
    for (let n = 0; n < 5; n++) await say(vera, room, "Is it dark?");
    const requests = hub.provider.requests.length;
    const refused = await say(vera, room, "Is it dark?");
    expect(failureOf(refused)).toEqual([502, "provider_failed"]);
    expect(refused.headers.get("retry-after")).toBe("10");
    expect(hub.provider.requests.length).toBe(requests);
    expect(await remaining(vera)).toBe(left);
  });
});
