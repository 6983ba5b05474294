import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, inject, it, vi } from "vitest";
import { defaultTiers } from "../../quota/tier-table.ts";
import { keysOf, openLink } from "../../rooms/redis/redis.fixture.ts";
import { type Actor, createActor } from "../../testing/actor.ts";
import {
  type ChatHub,
  openRoom,
  type RoomName,
  say,
  sayOnPage,
  sync,
} from "../../testing/chat-hub.ts";
import { joinAs } from "../../testing/live-visitor.ts";
import { startRedis } from "../../testing/servers/own-redis.ts";
import { testDatabases } from "../../testing/test-database.ts";
import { startTwoServers } from "../../testing/two-servers.ts";

const { redisServer } = inject("services");

/** SOAK_MINUTES sets the duration of the soak test. A full run takes 10 minutes. */
const SOAK_MS = Number(process.env.SOAK_MINUTES) * 60_000 || 20_000;
const ROOMS = 4;
const MEMBERS = 8;
const VISITORS = 24;
const SAMPLES = 20;
/**
 * Time limit of checks that wait until the hub is idle. Leases and stored replies expire after
 * 30 s; rooms close later.
 */
const QUIET_MS = 60_000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;
const aWhile = () => sleep(50 + Math.random() * 1_000);

interface Place {
  /** Two servers. The test replaces the second one now and then. */
  servers: ChatHub[];
  people: readonly Actor[];
  rooms: readonly RoomName[];
}

/** Returns a client of the same account that calls the given server. */
const at = (hub: ChatHub, { name, apiKey }: Actor) =>
  createActor({ name, apiKey, baseUrl: () => hub.url });

/** A client joins a room, stays for a random time, and leaves in one of several ways. */
async function visit({ servers, people, rooms }: Place): Promise<void> {
  const visitor = joinAs(pick(servers), pick(people), pick(rooms));
  await aWhile();
  const way = Math.random();
  if (way < 0.3) visitor.leave();
  else if (way < 0.7) {
    // After a cut connection the client reconnects by itself.
    visitor.cut();
    await aWhile();
  }
  await visitor.close();
}

async function poll({ servers, people, rooms }: Place): Promise<void> {
  await sync(at(pick(servers), pick(people)), pick(rooms), { last_id: 0 });
  await aWhile();
}

/** Sends a message. Some replies fail, and some are cancelled through either server. */
async function chat({ servers, people, rooms }: Place): Promise<void> {
  const [hub, person, room] = [pick(servers), pick(people), pick(rooms)];
  const way = Math.random();
  if (way < 0.1) hub.provider.failNext("cut");
  if (way > 0.2) {
    await say(at(hub, person), room, "Is it dark?");
    return aWhile();
  }
  hub.provider.failNext("stall");
  await using watcher = joinAs(pick(servers), person, room);
  const asked = sayOnPage(at(hub, person), room, "Will you say?");
  await aWhile();
  for (const { reply_id } of watcher.of("asked")) {
    await at(pick(servers), person).post("/trpc/chat.cancel", { reply_id });
  }
  await asked;
}

const nothing = { rooms: 0, sessions: 0, subscriptions: 0, timers: 0, replies: 0 };

/** Leases expire after 30 s, and rooms close after that. */
const quiet = (check: () => Promise<void> | void) =>
  vi.waitFor(check, { timeout: QUIET_MS, interval: 250 });

const mean = (numbers: readonly number[]) =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

describe.skipIf(!redisServer)("rooms on two servers, for long", () => {
  it(
    "release all memory, keys and channels of clients that left",
    async () => {
      await using ownRedis = await startRedis();
      const vip = { ...defaultTiers.vip, daily_limit: 1_000_000 };
      const config = { tiers: { ...defaultTiers, vip } };
      const kind = testDatabases().at(-1) ?? "pglite";
      await using hub = await startTwoServers(kind, ownRedis.url, config);
      const people: Actor[] = [];
      for (let n = 0; n < MEMBERS; n++) people.push(await hub.one.vip(`member-${n}`));
      const soul = await openRoom(people[0] as Actor);
      const rooms = Array.from({ length: ROOMS }, (_, n) => ({ ...soul, session_token: `r${n}` }));
      const place: Place = { servers: [hub.one, hub.two], people, rooms };

      let isOver = false;
      let visits = 0;
      /**
       * Repeats an activity, one run after the other. Errors are ignored, because a killed server
       * does not answer.
       */
      const live = async (life: (place: Place) => Promise<void>) => {
        while (!isOver) {
          await life(place).catch(() => aWhile());
          visits++;
        }
      };
      const lives = [
        ...Array.from({ length: VISITORS }, () => live(visit)),
        ...Array.from({ length: 4 }, () => live(poll)),
        ...Array.from({ length: 4 }, () => live(chat)),
      ];
      const heap: number[] = [];
      for (let n = 1; n <= SAMPLES; n++) {
        await sleep(SOAK_MS / SAMPLES);
        if (n % 5 === 0) {
          await ownRedis.kill();
          await ownRedis.start();
        }
        if (n % 7 === 0) {
          const [one, old] = place.servers as [ChatHub, ChatHub];
          const { hub: gone } = old;
          place.servers = [one, await hub.startOne()];
          if (old !== hub.two) await old.close();
          else await gone.drain();
          expect(gone.rooms.counts()).toEqual(nothing);
        }
        // Clears logs and recorded requests, so that the heap measurement does not include them.
        for (const { log, provider } of place.servers) {
          log.length = 0;
          (provider.requests as unknown[]).length = 0;
        }
        collectGarbage();
        heap.push(process.memoryUsage().heapUsed / 1024 ** 2);
      }
      isOver = true;
      await Promise.all(lives);
      console.log(`${visits} visits; heap, MB: ${heap.map((mb) => mb.toFixed(1)).join(" ")}`);

      for (const { hub: server } of place.servers) {
        await quiet(async () => {
          expect(server.rooms.counts()).toEqual(nothing);
          expect((await server.metrics.openSockets.get()).values[0]?.value).toBe(0);
        });
      }
      const link = await openLink({ url: ownRedis.url });
      const prefix = `soulhub:${hub.one.hub.database.id}`;
      await quiet(async () => expect([...(await keysOf(link, prefix)).keys()]).toEqual([]));
      // No room has a listener any more.
      const channels = await link.run((client) => client.pubSubChannels(`${prefix}:*`));
      expect(channels).toEqual([`${prefix}:*`]);
      await link.close();
      const last = place.servers[1];
      if (last !== hub.two) await last?.close();

      // After warming up, memory does not grow, with a tolerance for work in progress.
      const part = (from: number, to: number) => mean(heap.slice(SAMPLES * from, SAMPLES * to));
      expect(part(0.75, 1)).toBeLessThan(part(0.25, 0.75) * 1.1 + 5);
    },
    SOAK_MS + 4 * QUIET_MS,
  );
});
