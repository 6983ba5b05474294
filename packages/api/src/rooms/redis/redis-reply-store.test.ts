import { describe, expect, inject, it } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { startRedis } from "../../testing/servers/own-redis.ts";
import type { ReplyStore } from "../replies/reply-store.ts";
import type { ReplyEvent } from "../room-events.ts";
import { createRoomTimers } from "../room-timers.ts";
import { keysOf, openLink, ownPrefix } from "./redis.fixture.ts";
import type { RedisLink } from "./redis-link.ts";
import { redisReplyStore } from "./redis-reply-store.ts";

const ROOM = "7/lobby";
const asked: ReplyEvent = {
  type: "asked",
  reply_id: "r",
  sender_name: "ada",
  content: "Is it dark? 🦉",
};
const delta = (offset: number, text: string): ReplyEvent => ({
  type: "reply-delta",
  reply_id: "r",
  offset,
  text,
});
const done: ReplyEvent = { type: "reply-done", reply_id: "r", id: 8 };
const reply = (text: string) => ({
  reply_id: "r",
  sender_name: "ada",
  content: "Is it dark? 🦉",
  text,
});

function store(link: RedisLink, prefix: string, leaseMs = 30_000, renewMs = 10_000) {
  return redisReplyStore({ link, prefix, timers: createRoomTimers(), leaseMs, renewMs });
}

const repliesIn = async (store: ReplyStore, room = ROOM) => (await store.list(room))?.replies;

const { redis, redisServer } = inject("services");

describe.skipIf(!redis).concurrent("replies in Redis", () => {
  it("list their text so far, then their end, on every server", async () => {
    const prefix = ownPrefix();
    const [one, two] = await Promise.all([openLink(), openLink()]);
    const [here, there] = [store(one, prefix), store(two, prefix)];
    expect(await repliesIn(there)).toEqual([]);
    // The test does not await each call before the next one, since the store keeps their order.
    const kept = [asked, delta(0, "Half a \ud83e"), delta(8, "\udd89, "), delta(11, "yes.")].map(
      (event) => here.store(ROOM, event),
    );
    await Promise.all(kept);
    expect(await repliesIn(there)).toEqual([{ reply: reply("Half a 🦉, yes.") }]);
    expect(await repliesIn(there, "7/other")).toEqual([]);
    await here.store(ROOM, done);
    expect(await repliesIn(there)).toEqual([{ reply: reply("Half a 🦉, yes."), end: done }]);
    for (const [key, ms] of await keysOf(one, prefix)) expect([key, ms > 0]).toEqual([key, true]);
    for (const link of [one, two]) await link.close();
  });

  it("remain while their silent server lives, and expire after its death", async () => {
    const prefix = ownPrefix();
    const [one, two] = await Promise.all([openLink(), openLink()]);
    const [here, there] = [store(one, prefix, 2_000, 50), store(two, prefix)];
    await here.store(ROOM, asked);
    const until = performance.now() + 3_000;
    while (performance.now() < until) expect(await repliesIn(there)).toHaveLength(1);
    await one.close();
    await eventually(async () => expect(await repliesIn(there)).toEqual([]));
    here.close();
    await eventually(async () => expect((await keysOf(two, prefix)).size).toBe(0));
    await two.close();
  });
});

it.skipIf(!redisServer)("stores the events of an outage when Redis returns", async () => {
  await using redis = await startRedis();
  const prefix = ownPrefix();
  const options = { url: redis.url };
  const [one, two] = await Promise.all([openLink(options), openLink(options)]);
  const [here, there] = [store(one, prefix), store(two, prefix)];
  await here.store(ROOM, asked);
  await here.store(ROOM, delta(0, "It "));
  await redis.kill();
  await eventually(() => expect([one.isUp, two.isUp]).toEqual([false, false]));
  await here.store(ROOM, delta(3, "is "));
  expect(await there.list(ROOM)).toBeUndefined();
  await redis.start();
  await eventually(async () =>
    expect(await repliesIn(there)).toEqual([{ reply: reply("It is ") }]),
  );
  // Redis is emptied without a disconnect. The next event to be stored reveals the loss.
  await two.run((client) => client.flushDb());
  await here.store(ROOM, delta(6, "dark."));
  expect(await repliesIn(there)).toEqual([{ reply: reply("It is dark.") }]);
  here.close();
  for (const link of [one, two]) await link.close();
});
