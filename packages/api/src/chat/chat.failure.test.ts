import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Actor } from "../testing/actor.ts";
import {
  type ChatHub,
  history,
  openRoom,
  type RoomName,
  remaining,
  say,
  startChatHub,
  sync,
} from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import { joinAs } from "../testing/live-visitor.ts";
import type { ServerFault } from "../testing/openai-server.ts";
import { testDatabases } from "../testing/test-database.ts";

/** Decisions §5: a failed call leaves nothing behind and gives its unit back once. */
describe.each(testDatabases())("POST /api/chat when the reply fails (on %s)", (database) => {
  let hub: ChatHub;
  let vera: Actor;
  let room: RoomName;
  let rooms = 0;

  /** What a call may not change: log, quota of the day, holds. */
  const traces = async () => {
    const { db } = hub.hub.database;
    return {
      messages: await db.selectFrom("chat_messages").selectAll().execute(),
      rooms: await db.selectFrom("chat_rooms").selectAll().execute(),
      used: await db.selectFrom("quota_days").selectAll().orderBy("subject").execute(),
      holds: await db.selectFrom("quota_holds").selectAll().execute(),
    };
  };

  beforeAll(async () => {
    hub = await startChatHub({
      database,
      // Without summaries: a fold would take the fault meant for a reply.
      routes: {
        timeoutMs: 2_000,
        vision: "openai:vision-model",
        keys: { openai: "sk-KEY" },
        summary: "offline",
      },
      // Where nobody listens.
      modelOptions: { baseUrls: { openai: "http://127.0.0.1:9/v1" } },
    });
    vera = await hub.vip("vera");
    room = await openRoom(vera);
    // Makes the quota's row of the day.
    await say(vera, { ...room, session_token: "first" }, "Hello.");
  });
  beforeEach(async () => {
    room = { ...room, session_token: `room-${++rooms}` };
    // Five failures in a row would open the breaker; each success starts the count anew.
    await say(vera, { ...room, session_token: "first" }, "Hello.");
  });
  afterAll(() => hub.close());

  const faults: [string, ServerFault[], number, string][] = [
    ["refuses the call", [{ status: 400 }], 502, "provider_failed"],
    ["does not know our key", [{ status: 401 }], 502, "provider_failed"],
    ["does not let our key in", [{ status: 403 }], 502, "provider_failed"],
    ["gives up waiting for us twice", [{ status: 408 }, { status: 408 }], 502, "provider_failed"],
    ["is down, and down again", [{ status: 503 }, { status: 500 }], 502, "provider_failed"],
    ["is busy twice", [{ status: 429 }, { status: 429 }], 502, "provider_failed"],
    ["is busy for long", [{ status: 429, retryAfter: 60 }], 502, "provider_failed"],
    ["breaks the line twice", ["reset", "cut-silent"], 502, "provider_failed"],
    ["breaks off after the first words", ["cut"], 502, "provider_failed"],
    ["reports an error after the first words", ["error-chunk"], 502, "provider_failed"],
    ["shows a page of HTML", ["html"], 502, "provider_failed"],
    ["ends in the middle", ["half"], 502, "provider_failed"],
    ["talks gibberish", ["garbage"], 502, "provider_failed"],
    ["can't stop talking", ["endless"], 502, "provider_failed"],
    ["answers with nothing", ["empty"], 502, "provider_failed"],
    ["filters the reply", ["filtered"], 502, "provider_failed"],
    ["sends the caller elsewhere", [{ redirect: "http://127.0.0.1:9/" }], 502, "provider_failed"],
    ["does not answer", ["hang"], 504, "provider_timeout"],
    ["answers with a head and no more", ["silent"], 504, "provider_timeout"],
    ["falls silent", ["stall"], 504, "provider_timeout"],
  ];
  it.each(faults)("because the provider %s", async (_, queue, status, error) => {
    const before = await traces();
    const asked = hub.provider.requests.length;
    hub.provider.failNext(...queue);
    const answer = await say(vera, room, "Is it dark?");
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(answer.text).not.toContain("provider's own words");
    expect(hub.provider.requests.length).toBe(asked + queue.length);
    expect(await traces()).toEqual(before);
    expect((await history(vera, room)).body.messages).toEqual([]);
  });

  it("because nobody is there", async () => {
    const before = await traces();
    const answer = await say(vera, room, "What is this?", { image: PNG });
    expect([answer.status, answer.body.error]).toEqual([502, "provider_failed"]);
    expect(await traces()).toEqual(before);
  });

  it("says when to come back where the provider said so", async () => {
    hub.provider.failNext({ status: 429, retryAfter: 60 });
    const { headers } = await say(vera, room, "Is it dark?");
    expect(headers.get("retry-after")).toBe("60");
  });

  it("tells the operator which model failed and how, and nothing of what was said", async () => {
    const lines = hub.log.length;
    hub.provider.failNext({ status: 401 });
    await say(vera, room, "Is it dark?");
    const logged = hub.log.slice(lines).map((line) => JSON.parse(line));
    expect(logged).toContainEqual(
      expect.objectContaining({
        provider: "openai-compatible",
        model: "text-model",
        status: 401,
        msg: "a model failed to answer",
      }),
    );
    expect(JSON.stringify(logged)).not.toMatch(/Is it dark|sk-KEY|own words|lighthouse/);
  });

  it("tells the room, which saw the question", async () => {
    await using visitor = joinAs(hub, vera, room);
    await eventually(() => expect(visitor.types).toEqual(["sync"]));
    hub.provider.failNext({ status: 400 });
    await say(vera, room, "Is it dark?");
    await eventually(() => expect(visitor.types).toEqual(["sync", "asked", "reply-failed"]));
    const [asked] = visitor.of("asked");
    expect(visitor.of("reply-failed")[0]).toMatchObject({
      reply_id: asked?.reply_id,
      error: "provider_failed",
    });
  });

  it("not when the second try succeeds: one message, one unit", async () => {
    const left = await remaining(vera);
    hub.provider.failNext({ status: 503 });
    expect((await say(vera, room, "Is it dark?")).status).toBe(200);
    expect(await remaining(vera)).toBe(left - 1);
    expect((await history(vera, room)).body.messages).toHaveLength(2);
  });

  it("after midnight gives the unit back to the day before", async () => {
    const days = () =>
      hub.hub.database.db.selectFrom("quota_days").select(["day", "used"]).orderBy("day").execute();
    const before = await days();
    const asked = hub.provider.requests.length;
    hub.provider.failNext("hang");
    const failing = say(vera, room, "Is it dark?");
    await hub.provider.received(asked + 1);
    await hub.moveClock("1 day");
    expect((await failing).status).toBe(504);
    await hub.moveClock("0");
    expect(await days()).toEqual(before);
  });

  it("because the soul was deleted in the middle", async () => {
    const doomed = await openRoom(vera);
    const left = await remaining(vera);
    const asked = hub.provider.requests.length;
    const goOn = hub.provider.holdNext();
    const inTheAir = say(vera, doomed, "Are you there?");
    await hub.provider.received(asked + 1);
    expect((await vera.delete(`/api/soul/${doomed.soul_id}`)).status).toBe(200);
    goOn();
    const { status, body } = await inTheAir;
    expect([status, body.error]).toEqual([404, "soul_not_found"]);
    expect(await remaining(vera)).toBe(left);
    expect((await sync(vera, doomed)).body.error).toBe("soul_not_found");
    expect((await traces()).holds).toEqual([]);
  });

  it("because the soul was deleted in the middle, in a room that had messages", async () => {
    const doomed = await openRoom(vera);
    await say(vera, doomed, "Hello.");
    const left = await remaining(vera);
    const asked = hub.provider.requests.length;
    const goOn = hub.provider.holdNext();
    const inTheAir = say(vera, doomed, "Are you there?");
    await hub.provider.received(asked + 1);
    await vera.delete(`/api/soul/${doomed.soul_id}`);
    goOn();
    expect((await inTheAir).body.error).toBe("soul_not_found");
    expect(await remaining(vera)).toBe(left);
  });

  it("at once while the provider's breaker is open, with Retry-After", async () => {
    const left = await remaining(vera);
    hub.provider.failNext(...Array<ServerFault>(10).fill({ status: 500 }));
    for (let n = 0; n < 5; n++) await say(vera, room, "Is it dark?");
    const asked = hub.provider.requests.length;
    const { status, body, headers } = await say(vera, room, "Is it dark?");
    expect([status, body.error]).toEqual([502, "provider_failed"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(hub.provider.requests.length).toBe(asked);
    expect(await remaining(vera)).toBe(left);
  });
});

const PNG = `data:image/png;base64,${Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").toString("base64")}`;
