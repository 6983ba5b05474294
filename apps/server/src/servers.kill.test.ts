import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defaultTiers } from "@soul-hub/api";
import {
  digestOf,
  eventually,
  freePort,
  keepLog,
  type LogKeeper,
  type ServerProcess,
  startOpenAiServer,
  startRedis,
} from "@soul-hub/api/testing";
import { describe, expect, inject, it, vi } from "vitest";
import { makePlace } from "./server-place.fixture.ts";
import { startServerProcess } from "./server-process.fixture.ts";

const { postgres, redisServer } = inject("services");

/** ROOMS_MESSAGES=10000: the whole of what the live rooms must show, 200 people in 4 rooms. */
const MESSAGES = Number(process.env.ROOMS_MESSAGES) || 600;
const ROOMS = 4;
const PEOPLE_PER_ROOM = MESSAGES >= 10_000 ? 50 : 10;
/** Of each room; they go for good with the server that is killed. */
const LOST_PER_ROOM = 2;
const WRITERS_PER_ROOM = 4;
/** So that there is time for everything to go wrong while they write. */
const PAUSE_MS = MESSAGES >= 10_000 ? 100 : 1_500;
/** How long Redis stays away. */
const AWAY_MS = 5_000;
/** Decisions §6: a killed server's people count out within 31 s; more for a machine that is busy. */
const GONE_MS = 40_000;
const LONG_MS = 60_000 + MESSAGES * 120;

/** Two servers, one PostgreSQL, one Redis, and whoever calls finds either. */
async function startServers(env: Record<string, string>) {
  const ports = [await freePort(), await freePort()];
  const start = (n: number) => startServerProcess({ ...env, PORT: String(ports[n]) });
  const servers = await Promise.all([start(0), start(1)]);
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    get one() {
      return servers[0] as ServerProcess;
    },
    kill: async (n: number) => servers[n]?.kill(),
    async replace(n: number) {
      servers[n] = await start(n);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.kill()));
    },
  };
}

describe.skipIf(!(postgres && redisServer))(
  "two servers, killed and cut off again and again",
  () => {
    it(
      "leave every client with the database's log, and count who is there",
      async () => {
        await using place = await makePlace("postgresql");
        await using redis = await startRedis();
        await using model = await startOpenAiServer({ reply: () => "So it is." });
        const tiers = { ...defaultTiers, vip: { ...defaultTiers.vip, daily_limit: 1_000_000 } };
        const tiersFile = path.join(place.env.DATA_DIR, "tiers.json");
        await writeFile(tiersFile, JSON.stringify(tiers));
        await using servers = await startServers({
          ...place.env,
          REDIS_URL: redis.url,
          TIERS_FILE: tiersFile,
          TEXT_MODEL: "openai-compatible:test",
          OPENAI_COMPATIBLE_BASE_URL: model.url,
        });
        const rooms = await openRooms(servers.one, await place.adminToken());

        const people = rooms.map(({ room }, n) =>
          Array.from({ length: PEOPLE_PER_ROOM }, (_, m) =>
            keepLog({ userAgent: `person ${n}.${m}`, url: () => servers.urls[m % 2] ?? "", room }),
          ),
        );
        const everyone = people.flat();
        await eventually(() => {
          for (const person of everyone) expect(person.online).toBe(PEOPLE_PER_ROOM);
        });

        const writing = new Writing(rooms, servers.urls);
        // Redis is killed, and started again after a while, with nothing in it.
        await writing.until(MESSAGES * 0.2);
        await redis.kill();
        await sleep(AWAY_MS);
        await redis.start();

        // A server is killed, some of its people with it, and another takes its place.
        await writing.until(MESSAGES * 0.4);
        const lost = people.flatMap((room) =>
          room.filter((_, m) => m % 2 === 1).slice(0, LOST_PER_ROOM),
        );
        await servers.kill(1);
        for (const person of lost) person.vanish();
        const left = everyone.filter((person) => !lost.includes(person));
        const countedOut = waitForCount(left, PEOPLE_PER_ROOM - LOST_PER_ROOM);
        await servers.replace(1);

        await writing.until(MESSAGES * 0.7);
        await redis.kill();
        await sleep(AWAY_MS);
        await redis.start();

        await writing.until(MESSAGES);
        await writing.end();
        await countedOut;

        await using database = await opened(place);
        let stored = 0;
        for (const [n, { room }] of rooms.entries()) {
          const log = await database
            .selectFrom("chat_messages")
            .innerJoin("chat_rooms", "chat_rooms.id", "chat_messages.room_id")
            .select(["chat_messages.id", "chat_messages.content"])
            .where("soul_id", "=", room.soul_id)
            .orderBy("chat_messages.id")
            .execute();
          stored += log.length;
          const ids = log.map(({ id }) => id);
          const digest = log.reduce((so, { content }) => digestOf(so, content), 0);
          for (const person of people[n] ?? []) {
            if (lost.includes(person)) continue;
            await eventually(() => expect(person.ids.length).toBe(ids.length));
            expect([person.faults, person.restarts]).toEqual([[], 0]);
            expect(person.ids).toEqual(ids);
            expect(person.digest).toBe(digest);
          }
        }
        expect(stored).toBeGreaterThanOrEqual(MESSAGES);
        for (const person of left) expect(person.online).toBe(PEOPLE_PER_ROOM - LOST_PER_ROOM);
        for (const person of left) person.vanish();
        expect(writing.inDoubt).toBeGreaterThan(0);
      },
      LONG_MS,
    );
  },
);

const waitForCount = (people: readonly LogKeeper[], count: number) =>
  vi.waitFor(() => expect(people.map(({ online }) => online)).toEqual(people.map(() => count)), {
    timeout: GONE_MS,
    interval: 100,
  });

async function opened({ open }: Awaited<ReturnType<typeof makePlace>>) {
  const { db, close } = await open();
  return Object.assign(db, { [Symbol.asyncDispose]: close });
}

interface WrittenRoom {
  room: { soul_id: number; session_token: string };
  apiKey: string;
}

/** One account, one soul and one room each. */
async function openRooms(server: ServerProcess, adminToken: string): Promise<WrittenRoom[]> {
  const operator = server.actor({ name: "the operator", apiKey: adminToken });
  const open = async (n: number) => {
    const username = `writer-${n}`;
    const { body } = await server.actor({ name: username }).post("/api/register", {
      username,
      password: "correct horse battery",
      email: `${username}@example.org`,
    });
    await operator.post("/api/admin/pass", { username, tier: "vip", days: 1 });
    const writer = server.actor({ name: username, apiKey: body.api_key });
    const soul = await writer.post("/api/souls", { title: "Orla", content: "I keep the light." });
    return { room: { soul_id: soul.body.id, session_token: "hall" }, apiKey: body.api_key };
  };
  return Promise.all(Array.from({ length: ROOMS }, (_, n) => open(n)));
}

/** Writers at either server in turn, who go on with the other when one is gone. */
class Writing {
  /** Messages that a server has said are stored. */
  #stored = 0;
  /** Questions whose answer was lost with a server: stored or not. */
  inDoubt = 0;
  readonly #lanes: Promise<unknown>;
  readonly #reached = new Map<number, () => void>();

  constructor(rooms: readonly WrittenRoom[], urls: readonly string[]) {
    const lane = async ({ room, apiKey }: WrittenRoom, at: number) => {
      for (let n = at; this.#stored < MESSAGES; n++) {
        await this.#say(urls[n % 2] ?? "", apiKey, { ...room, content: `Line ${at}.${n}` });
        await sleep(PAUSE_MS);
      }
    };
    this.#lanes = Promise.all(
      rooms.flatMap((room) => Array.from({ length: WRITERS_PER_ROOM }, (_, at) => lane(room, at))),
    );
  }

  async #say(url: string, apiKey: string, body: object): Promise<void> {
    try {
      const response = await fetch(`${url}/api/chat`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect([response.status, await response.json()]).toMatchObject([200, { success: true }]);
    } catch (error) {
      // Gone in mid-air, or not there (yet).
      if (!(error instanceof TypeError)) throw error;
      this.inDoubt++;
      return;
    }
    this.#stored += 2;
    for (const [count, resolve] of this.#reached) if (this.#stored >= count) resolve();
  }

  /** Resolves when so many messages are stored; the writers go on. */
  async until(count: number): Promise<void> {
    if (this.#stored >= count) return;
    const reached = new Promise<void>((resolve) => this.#reached.set(count, resolve));
    await Promise.race([reached, this.#lanes]);
  }

  async end(): Promise<void> {
    await this.#lanes;
  }
}
