import { sql } from "kysely";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Db } from "../../db/database.ts";
import type { Actor } from "../../testing/actor.ts";
import { openRoom, type RoomName, say, startChatHub } from "../../testing/chat-hub.ts";
import { describeChat } from "../../testing/describe-chat.ts";
import { eventually } from "../../testing/eventually.ts";
import { ADMIN_TOKEN } from "../../testing/test-hub.ts";
import { modelRequest, modelsOn } from "../models/models.fixture.ts";
import { callModel } from "./model-usage.ts";
import { createModelUsageLog, type EndedCall, sweepModelUsage } from "./model-usage-log.ts";

const MESSAGE = "The password of the lighthouse is Skarholm.";

/** If set, the fake provider reports this number of output tokens instead of the real one. */
let reportedTokens: number | undefined;
const options = {
  routes: {
    premium: "openai-compatible:premium-model",
    summary: "openai-compatible:summary-model",
    timeoutMs: 500,
  },
  provider: { reply: () => "Go on." },
  modelOptions: {
    fetch: async (...call: Parameters<typeof fetch>) => {
      const response = await fetch(...call);
      if (reportedTokens === undefined) return response;
      const text = (await response.text()).replace(
        /"completion_tokens":\d+/,
        `"completion_tokens":${reportedTokens}`,
      );
      return new Response(text, { headers: response.headers });
    },
  },
};

/** docs/decisions/0013: one row per call to a provider, without message texts. */
describeChat("usage rows", options, (hub) => {
  let vera: Actor;
  let veraId: number;
  let room: RoomName;
  let db: Db;

  /** Writes the queued usage rows, then reads all rows. */
  const rows = async () => {
    await hub.hub.modelUsage.flush();
    return db.selectFrom("model_usage").selectAll().orderBy("at").execute();
  };
  const metrics = async () =>
    (await hub.guest().get("/metrics", { authorization: `Bearer ${ADMIN_TOKEN}` })).text;

  beforeAll(async () => {
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

  it("contain account, model, tokens and times", async () => {
    await say(vera, room, MESSAGE);
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

  it("contain no message text, and neither do the metrics", async () => {
    await say(vera, room, MESSAGE);
    const kept = JSON.stringify(await rows()) + (await metrics());
    for (const word of ["Skarholm", "Go on", "lighthouse", room.session_token, "vera"]) {
      expect(kept).not.toContain(word);
    }
  });

  it("have no account for a guest", async () => {
    await hub.guest().post("/trpc/chat.send", { ...room, content: MESSAGE });
    expect(await rows()).toMatchObject([{ account_id: null, outcome: "ok" }]);
  });

  it("name the premium model", async () => {
    await hub.pass(vera, "pro");
    await say(vera, room, MESSAGE);
    await hub.pass(vera, "vip");
    expect(await rows()).toMatchObject([{ model: "premium-model", route: "premium" }]);
  });

  it.each([
    ["responds with 400", { status: 400 }, "provider_failed"],
    ["stalls", "stall", "provider_timeout"],
  ] as const)("contain the error code if the provider %s", async (_, fault, outcome) => {
    hub.provider.failNext(fault);
    await say(vera, room, MESSAGE);
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

  it("are `cancelled` if the caller disconnects", async () => {
    const release = hub.provider.holdNext();
    const requests = hub.provider.requests.length;
    const client = new AbortController();
    const call = fetch(`${hub.url}/api/chat`, {
      method: "POST",
      body: JSON.stringify({ ...room, content: MESSAGE }),
      signal: client.signal,
      headers: { "content-type": "application/json", authorization: `Bearer ${vera.apiKey}` },
    });
    await hub.provider.received(requests + 1);
    client.abort();
    await expect(call).rejects.toThrow();
    await eventually(async () => expect(await rows()).toMatchObject([{ outcome: "cancelled" }]));
    release();
  });

  it("are `cancelled` if the consumer stops reading, which cancels the provider call", async () => {
    const release = hub.provider.holdNext();
    const before = hub.provider.requests.length;
    for await (const _ of callModel(hub.hub, modelRequest(), { accountId: veraId })) break;
    expect(await hub.provider.requests[before]?.ended).toBe("cancelled");
    expect(await rows()).toMatchObject([
      { outcome: "cancelled", first_token_ms: expect.any(Number) },
    ]);
    release();
  });

  it("of a summary run have the account of the reply before it", async () => {
    const long = { ...room, session_token: "long" };
    for (let n = 0; n < 16; n++) await say(vera, long, `Line ${n}.`);
    await eventually(async () =>
      expect((await rows()).filter(({ route }) => route === "summary")).toMatchObject([
        { account_id: veraId, model: "summary-model", outcome: "ok" },
      ]),
    );
  });

  it("mark own keys, whose model names are no metric labels", async () => {
    const ownModels = modelsOn(hub.provider, { text: "openai-compatible:named-by-vera" });
    for await (const _ of callModel(hub.hub, modelRequest(), { accountId: veraId, ownModels }));
    expect(await rows()).toMatchObject([{ model: "named-by-vera", own_key: true }]);
    const text = await metrics();
    expect(text).not.toContain("named-by-vera");
    expect(text).toContain(
      'soulhub_chats_total{provider="openai-compatible",model="own-key",outcome="ok"} 1',
    );
  });

  it.each([-5, 1e15, 1.5])("ignore a reported count of %s tokens", async (tokens) => {
    reportedTokens = tokens;
    await say(vera, room, MESSAGE);
    reportedTokens = undefined;
    expect(await rows()).toMatchObject([{ input_tokens: 11, output_tokens: null, outcome: "ok" }]);
  });

  it("update /metrics: replies, tokens, seconds", async () => {
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
    await say(vera, room, MESSAGE);
    await hub.pass(vera, "vip");
    const after = await Promise.all(counters.map(count));
    expect(after.map((value, at) => value - (before[at] ?? 0))).toEqual([1, 1, 1, 11, 2]);
  });

  it("never fail a reply; rows that cannot be written are dropped and logged", async () => {
    await sql`alter table model_usage rename to model_usage_away`.execute(db);
    try {
      expect((await say(vera, room, MESSAGE)).status).toBe(200);
      await hub.hub.modelUsage.flush();
    } finally {
      await sql`alter table model_usage_away rename to model_usage`.execute(db);
    }
    expect(hub.log.join("")).toContain("usage rows could not be written");
    expect(await rows()).toEqual([]);
  });

  it("wait while the database is unreachable, and are then written once", async () => {
    let isDown = true;
    const lost = Object.assign(new Error("gone"), { code: "57P01" });
    const unreliable = db.withPlugin({
      transformQuery: ({ node }) => {
        if (isDown) throw lost;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const usage = createModelUsageLog({
      db: unreliable,
      metrics: hub.hub.metrics,
      log: hub.hub.log,
    });
    for (let n = 0; n < 1_200; n++) usage.record({ ...call, total_ms: n });
    await usage.flush();
    expect(await rows()).toEqual([]);
    isDown = false;
    await usage.flush();
    await usage.flush();
    const written = await rows();
    expect(written.map(({ total_ms }) => total_ms).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 1_200 }, (_, n) => n),
    );
  });

  it("are flushed when the hub closes", async () => {
    await using other = await startChatHub();
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

describe("retention of usage rows", () => {
  it("is as long as RETAIN_USAGE; with 0 they stay for ever", async () => {
    await using hub = await startChatHub();
    const { db } = hub.hub.database;
    const rowCount = async () => (await db.selectFrom("model_usage").select("id").execute()).length;
    hub.hub.modelUsage.record(call);
    await hub.hub.modelUsage.flush();
    await hub.moveClock("89 days 23 hours");
    await sweepModelUsage(db, 90);
    expect(await rowCount()).toBe(1);
    await hub.moveClock("90 days 1 hour");
    await sweepModelUsage(db, 0);
    expect(await rowCount()).toBe(1);
    await sweepModelUsage(db, 90);
    expect(await rowCount()).toBe(0);
  });
});
