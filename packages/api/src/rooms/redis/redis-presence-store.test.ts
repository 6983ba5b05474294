import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, inject, it } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { type OwnRedis, startRedis } from "../../testing/servers/own-redis.ts";
import { member } from "../room.fixture.ts";
import { keysOf, openLink, ownPrefix } from "./redis.fixture.ts";
import { redisPresenceStore } from "./redis-presence-store.ts";

const ROOM = "7/lobby";
const LEASE_MS = 30_000;
/** A lease time that is longer than a restart of Redis and shorter than the test's timeout. */
const BRIEF_MS = 4_000;
const [ada, ben, eve] = [member("ada"), member("ben"), member("eve")];

/** Opens the presence store of one server, with its own connection to Redis. */
async function server(redis: OwnRedis, prefix: string, settleMs = 10_000) {
  const link = await openLink({ url: redis.url });
  const store = redisPresenceStore({ link, prefix, now: () => performance.now(), settleMs });
  const names = async () =>
    [...(await store.list(ROOM)).participants.values()].map(({ name }) => name).sort();
  return { link, store, names, [Symbol.asyncDispose]: () => link.close() };
}
const lease = (participant: typeof ada) => ({ participant, connection: `c/${participant.id}` });

const { redis, redisServer } = inject("services");

describe.skipIf(!redisServer).concurrent("presence in a Redis of our own", () => {
  it("lists, while Redis is down, its own participants and the others until their leases expire", async () => {
    await using redis = await startRedis();
    const prefix = ownPrefix();
    await using here = await server(redis, prefix);
    await using there = await server(redis, prefix);
    await there.store.renew(ROOM, [lease(ben)], BRIEF_MS);
    await here.store.renew(ROOM, [lease(ada)], LEASE_MS);
    expect(await here.names()).toEqual(["ada", "ben"]);

    await redis.kill();
    await eventually(() => expect(here.link.isUp).toBe(false));
    expect(await here.names()).toEqual(["ada", "ben"]);
    expect(await here.store.renew(ROOM, [lease(eve)], LEASE_MS)).toBe(true);
    expect(await here.store.renew(ROOM, [lease(eve)], LEASE_MS)).toBe(false);
    await eventually(async () => expect(await here.names()).toEqual(["ada", "eve"]));
    await here.store.release(ROOM, lease(eve), 0);
    expect(await here.names()).toEqual(["ada"]);
  });

  it("loses no participant when Redis restarts empty", async () => {
    await using redis = await startRedis();
    const prefix = ownPrefix();
    await using here = await server(redis, prefix);
    await using there = await server(redis, prefix);
    await here.store.renew(ROOM, [lease(ada)], LEASE_MS);
    await there.store.renew(ROOM, [lease(ben)], LEASE_MS);
    const seen: string[][] = [await here.names()];
    await redis.kill();
    await redis.start();
    const look = async () => {
      await turn();
      seen.push(await here.names());
    };
    while (!here.link.isUp) await look();
    for (let n = 0; n < 20; n++) await look();
    expect(seen).toEqual(seen.map(() => ["ada", "ben"]));
    // After the reconnect each server stores its leases again, so a new server lists all
    // participants.
    await eventually(() => expect(there.link.isUp).toBe(true));
    await using late = await server(redis, prefix);
    await eventually(async () => expect(await late.names()).toEqual(["ada", "ben"]));
  });

  it("follows Redis again once every server has renewed its leases", async () => {
    await using redis = await startRedis();
    const prefix = ownPrefix();
    await using here = await server(redis, prefix, 0);
    await using gone = await server(redis, prefix);
    await here.store.renew(ROOM, [lease(ada)], LEASE_MS);
    await gone.store.renew(ROOM, [lease(ben)], LEASE_MS);
    expect(await here.names()).toEqual(["ada", "ben"]);
    await gone.link.close();
    await redis.kill();
    await redis.start();
    await eventually(async () => expect(await here.names()).toEqual(["ada"]));
  });
});

it.skipIf(!redis)("presence in Redis leaves nothing behind for ever", async () => {
  const [link, prefix] = [await openLink(), ownPrefix()];
  const store = redisPresenceStore({ link, prefix, now: () => performance.now(), settleMs: 0 });
  await store.renew(ROOM, [lease(ada), lease(ben)], LEASE_MS);
  await store.release(ROOM, lease(ada), 3_000);
  await store.adopt(ROOM, ben.id, eve);
  await store.list(ROOM);
  const keys = await keysOf(link, prefix);
  expect(keys.size).toBe(4);
  for (const [key, ms] of keys) expect([key, ms > 0 && ms <= LEASE_MS]).toEqual([key, true]);
  await link.close();
});
