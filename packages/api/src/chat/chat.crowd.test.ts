import { afterEach, describe, expect, it } from "vitest";
import { defaultTiers } from "../quota/tier-table.ts";
import type { Actor, Answer } from "../testing/actor.ts";
import {
  type ChatHub,
  openRoom,
  type RoomName,
  remaining,
  say,
  startChatHub,
} from "../testing/chat-hub.ts";
import { eventually } from "../testing/eventually.ts";
import type { OpenAiServerOptions } from "../testing/openai-server.ts";
import { testDatabases } from "../testing/test-database.ts";

/** Decisions §5: quotas and turns, when very many ask at once. */
describe.each(testDatabases())(
  "200 chats at once of an account with 100 left (on %s)",
  { timeout: 90_000 },
  (database) => {
    let hub: ChatHub;
    let vera: Actor;
    let room: RoomName;
    /** At the provider at one moment, and the most of them. */
    const load = { now: 0, most: 0 };

    let eightAreHere: PromiseWithResolvers<void>;

    const start = async (provider: OpenAiServerOptions = {}, daily_limit = 200) => {
      load.now = 0;
      load.most = 0;
      eightAreHere = Promise.withResolvers();
      hub = await startChatHub({
        database,
        config: { tiers: { ...defaultTiers, vip: { ...defaultTiers.vip, daily_limit } } },
        // A fold would be one more call at the provider.
        routes: { summary: "offline" },
        provider: {
          reply: async function* () {
            load.most = Math.max(load.most, ++load.now);
            yield "Go ";
            // Nobody is answered before as many are here as may be.
            if (load.most === 8) eightAreHere.resolve();
            await eightAreHere.promise;
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

    const askAtOnce = (times: number): Promise<Answer[]> =>
      Promise.all(
        // Ten rooms: whoever writes in one stands in line for it, and must not for another.
        Array.from({ length: times }, (_, n) =>
          say(vera, { ...room, session_token: `room-${Math.floor(n / 20)}` }, `Question ${n}.`),
        ),
      );
    /** Units used today, holds that are left, replies that were stored. */
    const traces = async () => {
      const { db } = hub.hub.database;
      const [days, holds, replies] = await Promise.all([
        db.selectFrom("quota_days").select("used").execute(),
        db.selectFrom("quota_holds").select("id").execute(),
        db.selectFrom("chat_messages").select("id").where("role", "=", "assistant").execute(),
      ]);
      return { used: days.map(({ used }) => used), held: holds.length, replies: replies.length };
    };

    it("answers exactly 100; the others are told when to come back, and nobody is turned away for waiting", async () => {
      await start();
      await hub.hub.database.db
        .insertInto("quota_days")
        .values({ subject: "account:1", day: new Date().toISOString().slice(0, 10), used: 100 })
        .execute();
      expect(await remaining(vera)).toBe(100);
      const answers = await askAtOnce(200);
      const by = Object.groupBy(answers, ({ status }) => status);
      expect(Object.keys(by)).toEqual(["200", "429"]);
      expect([by[200]?.length, by[429]?.length]).toEqual([100, 100]);
      for (const { body, headers } of by[429] ?? []) {
        expect(body).toMatchObject({
          error: "quota_exceeded",
          quota: { tier: "vip", daily_limit: 200, daily_remaining: 0 },
        });
        expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      }
      expect(hub.provider.requests).toHaveLength(100);
      expect(load.most).toBe(8);
      expect(await remaining(vera)).toBe(0);
      expect(await traces()).toEqual({ used: [200], held: 0, replies: 100 });
    });

    it("counts what was answered, and nothing else, when every third call fails", async () => {
      await start({
        fault: (_, n) => (n % 3 === 0 ? (n % 2 === 0 ? "cut" : { status: 400 }) : undefined),
      });
      const answers = await askAtOnce(120);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 502)).toHaveLength(40);
      expect(statuses.filter((status) => status === 200)).toHaveLength(80);
      expect(await traces()).toEqual({ used: [80], held: 0, replies: 80 });
      expect(await remaining(vera)).toBe(120);
    });

    it("lets 1,000 wait; the next is told that the hub is busy", async () => {
      await start({ fault: () => "hang" }, 1_008);
      const waiting = askAtOnce(1_008);
      await eventually(() => expect(hub.hub.turns.waiting).toBe(1_000));
      const { status, body, headers } = await say(vera, room, "And me?");
      expect([status, body.error]).toEqual([503, "overloaded"]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect(hub.provider.requests).toHaveLength(8);
      await hub.hub.drain();
      const codes = new Set((await waiting).map(({ body }) => body.error));
      expect([...codes]).toEqual(["shutting_down"]);
      expect(await traces()).toEqual({ used: [0], held: 0, replies: 0 });
    });
  },
);
