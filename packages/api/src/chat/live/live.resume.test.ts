import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defaultTiers } from "../../quota/tier-table.ts";
import type { Actor } from "../../testing/actor.ts";
import { lengthen, openRoom, type RoomName, say, sync } from "../../testing/chat-hub.ts";
import { eventually } from "../../testing/eventually.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { startTestHub, type TestHub } from "../../testing/test-hub.ts";
import type { ModelPort } from "../models/model-port.ts";

const MESSAGES = 1_000;

/**
 * A model that sends each reply at once in one piece. The test is about the delivery of messages.
 */
const echo: ModelPort = {
  routes: { text: "openai:echo", vision: null, premium: null, summary: "offline" },
  longestCallMs: 60_000,
  async *stream({ route, messages }) {
    yield route === "summary" ? "A long talk." : `Echo of ${messages.at(-1)?.content}`;
    return {
      provider: "openai",
      model: "echo",
      inputTokens: null,
      outputTokens: null,
      finish: "stop",
      toolCalls: [],
    };
  },
};

/**
 * WebSocket clients and polling clients get every message once and in order, also across
 * disconnects.
 */
describe("a burst of 1,000 messages", () => {
  let hub: TestHub;
  let speakers: Actor[];
  let room: RoomName;

  beforeEach(async () => {
    hub = await startTestHub({
      models: echo,
      config: { tiers: { ...defaultTiers, vip: { ...defaultTiers.vip, daily_limit: MESSAGES } } },
    });
    speakers = await Promise.all(["ada", "ben"].map((name) => hub.vip(name)));
    room = await openRoom(speakers[0] as Actor);
  });
  afterEach(() => hub.close());

  /** Stores questions and replies through POST /api/chat, with eight concurrent calls per account. */
  const burst = async () => {
    let left = MESSAGES / 2;
    const speak = async (who: Actor) => {
      while (left-- > 0) expect((await say(who, room, `${who.name} ${left}`)).status).toBe(200);
    };
    await Promise.all(speakers.flatMap((who) => Array.from({ length: 8 }, () => speak(who))));
  };

  it("reaches two sockets, one of which is cut repeatedly, and a poller once and in order", async () => {
    const [ada, ben] = speakers as [Actor, Actor];
    await using steady = joinAs(hub, ada, room);
    let away = 0;
    await using shaky = joinAs(hub, ben, room, { retryDelayMs: () => (++away % 3) * 60 });
    await eventually(() => expect([steady.types[0], shaky.types[0]]).toEqual(["sync", "sync"]));

    const cutAt = [50, 51, 150, 300, 310, 500, 700, 880, 980];
    let cuts = 0;
    let isOver = false;
    const cutting = (async () => {
      while (!isOver || cuts < cutAt.length) {
        if (shaky.isOpen && shaky.ids.length >= (cutAt[cuts] ?? Number.POSITIVE_INFINITY)) {
          cuts++;
          shaky.cut();
        }
        await sleep(2);
      }
    })();
    const polled: number[] = [];
    const poll = async () => {
      const { body } = await sync(ben, room, { last_id: polled.at(-1) ?? 0 });
      polled.push(...body.new_messages.map(({ id }: { id: number }) => id));
    };
    const polling = (async () => {
      while (!isOver) {
        await poll();
        await sleep(20);
      }
    })();
    await burst();
    isOver = true;
    await Promise.all([polling, cutting]);
    while (polled.length < MESSAGES) await poll();

    const log = await hub.hub.database.db
      .selectFrom("chat_messages")
      .select(["id", "prev_id"])
      .orderBy("id")
      .execute();
    const ids = log.map(({ id }) => id);
    expect(ids).toHaveLength(MESSAGES);
    expect(log.map(({ prev_id }) => prev_id)).toEqual([0, ...ids.slice(0, -1)]);
    // The last disconnect may happen after the last message, so the test waits for the reconnect.
    await eventually(() => expect(shaky.connects).toBeGreaterThan(cutAt.length));
    await eventually(() => expect(shaky.ids.at(-1)).toBe(ids.at(-1)));
    await eventually(() => expect(steady.ids.at(-1)).toBe(ids.at(-1)));
    expect(steady.ids).toEqual(ids);
    expect(shaky.ids).toEqual(ids);
    expect(polled).toEqual(ids);
    // The room never announced that a client left, because every disconnect was shorter than the
    // grace period.
    expect(steady.of("presence").flatMap(({ left }) => left)).toEqual([]);
    // Every reply ended with a `reply-done` event. Half of the messages are replies.
    const { types } = steady;
    expect(types.filter((type) => type === "reply-done")).toHaveLength(MESSAGES / 2);
  }, 120_000);

  it("is not replayed to a client that is too far behind: it gets the newest 200, and `recovered: false`", async () => {
    const [ada] = speakers as [Actor];
    await say(ada, room, "First.");
    await lengthen(hub, 1_001);
    await using behind = joinAs(hub, ada, { ...room, last_id: 2 });
    await eventually(() => expect(behind.types).toContain("sync"));
    expect(behind.of("sync")[0]?.recovered).toBe(false);
    expect(behind.ids).toHaveLength(200);
    const { body } = await sync(ada, room);
    expect(behind.ids).toEqual(body.new_messages.map(({ id }: { id: number }) => id));
    await using near = joinAs(hub, ada, { ...room, last_id: behind.ids[0] as number });
    await eventually(() => expect(near.types).toContain("sync"));
    expect([near.of("sync")[0]?.recovered, near.ids]).toEqual([true, behind.ids.slice(1)]);
  });
});
