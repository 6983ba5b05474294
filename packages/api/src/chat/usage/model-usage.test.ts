import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Db } from "../../db/entities.ts";
import type { Actor } from "../../testing/actor.ts";
import {
  type ChatHub,
  openRoom,
  type RoomName,
  say,
  startChatHub,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { ADMIN_TOKEN } from "../../testing/test-hub.ts";
import { ask, modelsOn } from "../models/models.fixture.ts";
import { callModel } from "./model-usage.ts";
import { createModelUsageLog, type EndedCall, sweepModelUsage } from "./model-usage-log.ts";

const SAID = "The password of the lighthouse is Skarholm.";

/** docs/decisions/0013: one row for every call to a provider, and nothing of what was said. */
describe.each(testDatabases())("usage rows (on %s)", (database) => {
  let hub: ChatHub;
  let vera: Actor;
  let veraId: number;
  let room: RoomName;
  let db: Db;
  let claimedTokens: unknown;

  /** Every row there is, once all are written. */
  const rows = async () => {
    await hub.hub.modelUsage.flush();
    return db.selectFrom("model_usage").selectAll().orderBy("at").execute();
  };
  const metrics = async () =>
    (await hub.guest().get("/metrics", { authorization: `Bearer ${ADMIN_TOKEN}` })).text;

  beforeAll(async () => {
    hub = await startChatHub({
      database,
      routes: {
        premium: "openai-compatible:premium-model",
        summary: "openai-compatible:summary-model",
        timeoutMs: 500,
      },
      provider: { reply: () => "Go on." },
      modelOptions: {
        // A provider may claim any number.
        fetch: async (...call) => {
          const answer = await fetch(...call);
          if (claimedTokens === undefined) return answer;
          const claim = (await answer.text()).replace(
            /"completion_tokens":\d+/,
            `"completion_tokens":${claimedTokens}`,
          );
          return new Response(claim, { headers: answer.headers });
        },
      },
    });
    db = hub.hub.database.db;
    vera = await hub.vip("vera");
    const account = await db
      .selectFrom("accounts")
      .select("id")
      .where("username_key", "=", "vera")
      .executeTakeFirstOrThrow();
    veraId = account.id;
    room = await openRoom(vera);
  });
  beforeEach(async () => {
    await rows();
    await db.deleteFrom("model_usage").execute();
  });
  afterAll(() => hub.close());

  it("say for whom which model was called, what it cost and how long it took", async () => {
    await say(vera, room, SAID);
    expect(await rows()).toEqual([
      {
        id: expect.any(String),
        account_id: veraId,
        provider: "openai-compatible",
        model: "text-model",
        route: "text",
        own_key: false,
        input_tokens: 11,
        output_tokens: 2,
        first_token_ms: expect.any(Number),
        total_ms: expect.any(Number),
        outcome: "ok",
        at: expect.any(String),
      },
    ]);
    const [row] = await rows();
    expect(row?.total_ms).toBeGreaterThanOrEqual(row?.first_token_ms ?? Infinity);
  });

  it("hold nothing of what was said, and neither do the metrics", async () => {
    await say(vera, room, SAID);
    const kept = JSON.stringify(await rows()) + (await metrics());
    for (const word of ["Skarholm", "Go on", "lighthouse", room.session_token, "vera"]) {
      expect(kept).not.toContain(word);
    }
  });

  it("name no account for a guest", async () => {
    await hub.guest().post("/trpc/chat.send", { ...room, content: SAID });
    expect(await rows()).toMatchObject([{ account_id: null, outcome: "ok" }]);
  });

  it("tell the premium model from the text model", async () => {
    await hub.pass(vera, "pro");
    await say(vera, room, SAID);
    await hub.pass(vera, "vip");
    expect(await rows()).toMatchObject([{ model: "premium-model", route: "premium" }]);
  });

  it.each([
    ["refuses", { status: 400 }, "provider_failed"],
    ["falls silent", "stall", "provider_timeout"],
  ] as const)("tell the failure when the provider %s", async (_, fault, outcome) => {
    hub.provider.failNext(fault);
    await say(vera, room, SAID);
    expect(await rows()).toMatchObject([
      {
        provider: "openai-compatible",
        model: "text-model",
        account_id: veraId,
        input_tokens: null,
        output_tokens: null,
        first_token_ms: fault === "stall" ? expect.any(Number) : null,
        outcome,
      },
    ]);
  });

  it("tell who went away before the end", async () => {
    const goOn = hub.provider.holdNext();
    const asked = hub.provider.requests.length;
    const leaving = new AbortController();
    const call = fetch(`${hub.url}/api/chat`, {
      method: "POST",
      body: JSON.stringify({ ...room, content: SAID }),
      signal: leaving.signal,
      headers: { "content-type": "application/json", authorization: `Bearer ${vera.apiKey}` },
    });
    await hub.provider.received(asked + 1);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await eventually(async () => expect(await rows()).toMatchObject([{ outcome: "cancelled" }]));
    goOn();
  });

  it("count a reader who stops, and the provider is stopped with it", async () => {
    const goOn = hub.provider.holdNext();
    const asked = hub.provider.requests.length;
    for await (const _ of callModel(hub.hub, ask(), { accountId: veraId })) break;
    expect(await hub.provider.requests[asked]?.ended).toBe("cancelled");
    expect(await rows()).toMatchObject([
      { outcome: "cancelled", first_token_ms: expect.any(Number) },
    ]);
    goOn();
  });

  it("charge a summary to whoever had the reply before it", async () => {
    const long = { ...room, session_token: "long" };
    for (let n = 0; n < 16; n++) await say(vera, long, `Line ${n}.`);
    await eventually(async () =>
      expect((await rows()).filter(({ route }) => route === "summary")).toMatchObject([
        { account_id: veraId, model: "summary-model", outcome: "ok" },
      ]),
    );
  });

  it("tell a call with an own key; its model's name is no label of the metrics", async () => {
    const ownModels = modelsOn(hub.provider, { text: "openai-compatible:named-by-vera" });
    for await (const _ of callModel(hub.hub, ask(), { accountId: veraId, ownModels }));
    expect(await rows()).toMatchObject([{ model: "named-by-vera", own_key: true }]);
    const text = await metrics();
    expect(text).not.toContain("named-by-vera");
    expect(text).toContain(
      'soulhub_chats_total{provider="openai-compatible",model="own-key",outcome="ok"} 1',
    );
  });

  it.each([-5, 1e15, 1.5])("take %s tokens for not told", async (claim) => {
    claimedTokens = claim;
    await say(vera, room, SAID);
    claimedTokens = undefined;
    expect(await rows()).toMatchObject([{ input_tokens: 11, output_tokens: null, outcome: "ok" }]);
  });

  it("are counted for /metrics: replies, tokens, seconds", async () => {
    const premium = '{provider="openai-compatible",model="premium-model"';
    await hub.pass(vera, "pro");
    const count = async (name: string) => {
      const line = (await metrics()).split("\n").find((candidate) => candidate.startsWith(name));
      return Number(line?.split(" ").at(-1) ?? 0);
    };
    const counters = [
      `soulhub_chats_total${premium},outcome="ok"}`,
      `soulhub_model_seconds_count${premium},outcome="ok"}`,
      `soulhub_model_first_token_seconds_count${premium}}`,
      `soulhub_model_tokens_total${premium},direction="input"}`,
      `soulhub_model_tokens_total${premium},direction="output"}`,
    ];
    const before = await Promise.all(counters.map(count));
    await say(vera, room, SAID);
    await hub.pass(vera, "vip");
    const after = await Promise.all(counters.map(count));
    expect(after.map((value, at) => value - (before[at] ?? 0))).toEqual([1, 1, 1, 11, 2]);
  });

  it("never fail a reply: what can't be written is given up, and logged", async () => {
    await sql`alter table model_usage rename to model_usage_away`.execute(db);
    try {
      expect((await say(vera, room, SAID)).status).toBe(200);
      await hub.hub.modelUsage.flush();
    } finally {
      await sql`alter table model_usage_away rename to model_usage`.execute(db);
    }
    expect(hub.log.join("")).toContain("usage rows could not be written");
    expect(await rows()).toEqual([]);
  });

  it("wait while the database is away, and are then written once, with their own time", async () => {
    let isAway = true;
    const away = Object.assign(new Error("gone"), { code: "57P01" });
    const shaky = db.withPlugin({
      transformQuery: ({ node }) => {
        if (isAway) throw away;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const usage = createModelUsageLog({ db: shaky, metrics: hub.hub.metrics, log: hub.hub.log });
    for (let n = 0; n < 1_200; n++) usage.record({ ...call, total_ms: n });
    await usage.flush();
    expect(await rows()).toEqual([]);
    isAway = false;
    await usage.flush();
    await usage.flush();
    const written = await rows();
    expect(written.map(({ total_ms }) => total_ms).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 1_200 }, (_, n) => n),
    );
  });

  it("are written when the hub closes", async () => {
    await using other = await startChatHub({ database });
    other.hub.modelUsage.record(call);
    await other.close();
    expect(await db.selectFrom("model_usage").select("outcome").execute()).toEqual([
      { outcome: "ok" },
    ]);
  });
});

const call: EndedCall = {
  account_id: null,
  provider: "offline",
  model: "offline",
  route: "text",
  own_key: false,
  input_tokens: null,
  output_tokens: null,
  first_token_ms: 1,
  total_ms: 2,
  outcome: "ok",
};

describe.each(testDatabases())("usage rows of long ago (on %s)", (database) => {
  it("are kept for 90 days", async () => {
    await using hub = await startChatHub({ database });
    const { db } = hub.hub.database;
    const left = async () => (await db.selectFrom("model_usage").select("id").execute()).length;
    hub.hub.modelUsage.record(call);
    await hub.hub.modelUsage.flush();
    await hub.moveClock("89 days 23 hours");
    await sweepModelUsage(db);
    expect(await left()).toBe(1);
    await hub.moveClock("90 days 1 hour");
    await sweepModelUsage(db);
    expect(await left()).toBe(0);
  });
});
