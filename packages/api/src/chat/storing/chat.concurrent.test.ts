import { afterEach, describe, expect, it } from "vitest";
import { defaultTiers } from "../../quota/tier-table.ts";
import type { Actor, Answer } from "../../testing/actor.ts";
import {
  type ChatHub,
  failureOf,
  openRoom,
  type RoomName,
  remaining,
  say,
  startChatHub,
} from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import type { OpenAiServerOptions } from "../../testing/openai-server.ts";
import { testDatabases } from "../../testing/test-database.ts";

const DAILY_LIMIT = 60;

/** Decisions §5, Provider and Tiers: quota and queue under concurrent calls. */
describe.each(testDatabases())("concurrent chats of one account (on %s)", (database) => {
  let hub: ChatHub;
  let vera: Actor;
  let room: RoomName;
  /** Number of calls that the provider is answering: now, and the maximum so far. */
  const load = { now: 0, max: 0 };

  const start = async (provider: OpenAiServerOptions = {}) => {
    Object.assign(load, { now: 0, max: 0 });
    const eightRunning = Promise.withResolvers<void>();
    hub = await startChatHub({
      database,
      config: {
        tiers: { ...defaultTiers, vip: { ...defaultTiers.vip, daily_limit: DAILY_LIMIT } },
      },
      // Summaries are off. A summary run would be an additional call at the provider.
      routes: { summary: "offline" },
      provider: {
        reply: async function* () {
          load.max = Math.max(load.max, ++load.now);
          yield "Go ";
          // The provider ends no reply before it answers eight calls at once, the limit of one
          // account.
          if (load.max === 8) eightRunning.resolve();
          await eightRunning.promise;
          yield "on.";
          load.now--;
        },
        ...provider,
      },
    });
    vera = await hub.vip("vera");
    room = await openRoom(vera);
  };
  afterEach(() => hub.close());

  /** Uses several rooms, because the exchanges of one room are stored one after the other. */
  const sendAtOnce = (count: number): Promise<Answer[]> =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        say(vera, { ...room, session_token: `room-${n % 4}` }, `Question ${n}.`),
      ),
    );
  const storedState = async () => {
    const { db } = hub.hub.database;
    const [days, holds, replies] = await Promise.all([
      db.selectFrom("quota_days").select("used").execute(),
      db.selectFrom("quota_holds").select("id").execute(),
      db.selectFrom("chat_messages").select("id").where("role", "=", "assistant").execute(),
    ]);
    return { used: days.map(({ used }) => used), held: holds.length, replies: replies.length };
  };

  it("spends exactly the remaining units, and refuses no call for waiting", async () => {
    await start();
    await hub.hub.database.db
      .insertInto("quota_days")
      .values({ subject: "account:1", day: new Date().toISOString().slice(0, 10), used: 40 })
      .execute();
    expect(await remaining(vera)).toBe(20);
    const byStatus = Object.groupBy(await sendAtOnce(40), ({ status }) => status);
    expect([byStatus[200]?.length, byStatus[429]?.length]).toEqual([20, 20]);
    for (const { body, headers } of byStatus[429] ?? []) {
      expect(body).toMatchObject({
        error: "quota_exceeded",
        quota: { tier: "vip", daily_limit: DAILY_LIMIT, daily_remaining: 0 },
      });
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect(hub.provider.requests).toHaveLength(20);
    expect(load.max).toBe(8);
    expect(await remaining(vera)).toBe(0);
    expect(await storedState()).toEqual({ used: [DAILY_LIMIT], held: 0, replies: 20 });
  });

  it("charges stored replies only when every third call fails", async () => {
    await start({
      fault: (_, n) => (n % 3 === 0 ? (n % 2 === 0 ? "cut" : { status: 400 }) : undefined),
    });
    const statuses = (await sendAtOnce(36)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 502)).toHaveLength(12);
    expect(statuses.filter((status) => status === 200)).toHaveLength(24);
    expect(await storedState()).toEqual({ used: [24], held: 0, replies: 24 });
    expect(await remaining(vera)).toBe(DAILY_LIMIT - 24);
  });

  it("lets 1,000 calls wait and refuses the next one", async () => {
    await start({ fault: () => "hang" });
    const calls = sendAtOnce(12);
    await eventually(() => expect(hub.hub.modelCalls.waiting).toBe(4));
    // Fills the queue by direct calls, because HTTP requests would need a connection each.
    const { signal } = new AbortController();
    const others = Array.from({ length: 996 }, () =>
      hub.hub.modelCalls.acquire("account:1", signal).catch(failureOfError),
    );
    expect(hub.hub.modelCalls.waiting).toBe(1_000);
    const refused = await say(vera, room, "And me?");
    expect(failureOf(refused)).toEqual([503, "overloaded"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    await eventually(() => expect(hub.provider.requests).toHaveLength(8));
    await hub.hub.drain();
    const codes = [...(await calls).map(({ body }) => body.error), ...(await Promise.all(others))];
    expect([...new Set(codes)]).toEqual(["shutting_down"]);
    expect(await storedState()).toEqual({ used: [0], held: 0, replies: 0 });
  });
});

const failureOfError = (error: { code: string }) => error.code;
