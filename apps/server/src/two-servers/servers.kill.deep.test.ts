import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defaultTiers } from "@soul-hub/api";
import {
  eventually,
  freePort,
  type LogKeeper,
  type ServerProcess,
  startOpenAiServer,
  startRedis,
} from "@soul-hub/api/testing";
import { describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { openAccount, publishSoul } from "../testing/open-account.fixture.ts";
import { makePlace } from "../testing/server-place.fixture.ts";
import { startServerProcess } from "../testing/server-process.fixture.ts";
import { expectWholeLogs, keepLogDuringTest } from "./hall.fixture.ts";

const { postgres, redisServer } = inject("services");

/**
 * The number of messages to write. ROOMS_MESSAGES=10000 runs the complete test, with 200 clients in
 * 4 rooms.
 */
const MESSAGES = Number(process.env.ROOMS_MESSAGES) || 600;
const ROOMS = 4;
const CLIENTS_PER_ROOM = MESSAGES >= 10_000 ? 50 : 10;
/** The number of clients per room that disconnect for good when their server is killed. */
const LOST_PER_ROOM = 2;
const WRITERS_PER_ROOM = 4;
/**
 * The pause of a writer between two questions, so that all failures happen while messages are
 * written.
 */
const PAUSE_MS = MESSAGES >= 10_000 ? 100 : 1_500;
/** How long Redis is down, in milliseconds. */
const AWAY_MS = 5_000;
/**
 * Decisions §6: clients of a killed server leave the room within 31 s. A busy machine may take much
 * longer.
 */
const GONE_MS = 150_000;
const LONG_MS = 240_000 + MESSAGES * 120;

/**
 * Starts two servers that share one PostgreSQL database and one Redis. Clients may use either
 * server.
 */
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
      "leave every client with the database's log, and count the participants",
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

        const clients = rooms.map(({ room }, n) =>
          Array.from({ length: CLIENTS_PER_ROOM }, (_, m) => {
            const url = () => servers.urls[m % 2] ?? "";
            return keepLogDuringTest({ userAgent: `client ${n}.${m}`, url, room });
          }),
        );
        const allClients = clients.flat();
        await eventually(() => {
          for (const client of allClients) expect(client.online).toBe(CLIENTS_PER_ROOM);
        });

        const writing = new Writing(rooms, servers.urls);
        onTestFinished(() => writing.stop());
        // Redis is killed, and after a pause it is started again without data.
        await writing.until(MESSAGES * 0.2);
        await redis.kill();
        await sleep(AWAY_MS);
        await redis.start();

        // A server is killed, some of its clients disconnect for good, and a new server replaces
        // the killed one.
        await writing.until(MESSAGES * 0.4);
        const lost = clients.flatMap((room) =>
          room.filter((_, m) => m % 2 === 1).slice(0, LOST_PER_ROOM),
        );
        await servers.kill(1);
        for (const client of lost) client.vanish();
        const left = allClients.filter((client) => !lost.includes(client));
        const countedOut = Promise.allSettled([
          waitForCount(left, CLIENTS_PER_ROOM - LOST_PER_ROOM),
        ]);
        await servers.replace(1);

        await writing.until(MESSAGES * 0.7);
        await redis.kill();
        await sleep(AWAY_MS);
        await redis.start();

        await writing.until(MESSAGES);
        await writing.end();
        expect(await countedOut).toMatchObject([{ status: "fulfilled" }]);

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
          const here = (clients[n] ?? []).filter((client) => !lost.includes(client));
          await expectWholeLogs(here, log);
        }
        expect(stored).toBeGreaterThanOrEqual(MESSAGES);
        for (const client of left) expect(client.online).toBe(CLIENTS_PER_ROOM - LOST_PER_ROOM);
        expect(writing.inDoubt).toBeGreaterThan(0);
      },
      LONG_MS,
    );
  },
);

const waitForCount = (clients: readonly LogKeeper[], count: number) =>
  vi.waitFor(() => expect(clients.map(({ online }) => online)).toEqual(clients.map(() => count)), {
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

/** Creates the rooms, each with an account and a soul of its own. */
async function openRooms(server: ServerProcess, adminToken: string): Promise<WrittenRoom[]> {
  const open = async (n: number) => {
    const writer = await openAccount(server, adminToken, `writer-${n}`);
    const room = { soul_id: await publishSoul(writer), session_token: "hall" };
    return { room, apiKey: writer.apiKey };
  };
  return Promise.all(Array.from({ length: ROOMS }, (_, n) => open(n)));
}

/** Writers that alternate between the servers. When one server is down, they use the other. */
class Writing {
  /** The number of messages whose storage a server has acknowledged. */
  #stored = 0;
  /**
   * The number of questions without a response from the server: the messages may be stored or not.
   */
  inDoubt = 0;
  #isOver = false;
  readonly #lanes: readonly Promise<void>[];
  readonly #ended: Promise<unknown>;
  readonly #reached = new Map<number, () => void>();

  constructor(rooms: readonly WrittenRoom[], urls: readonly string[]) {
    const lane = async ({ room, apiKey }: WrittenRoom, at: number) => {
      for (let n = at; this.#stored < MESSAGES && !this.#isOver; n++) {
        await this.#say(urls[n % 2] ?? "", apiKey, { ...room, content: `Line ${at}.${n}` });
        await sleep(PAUSE_MS);
      }
    };
    this.#lanes = rooms.flatMap((room) =>
      Array.from({ length: WRITERS_PER_ROOM }, (_, at) => lane(room, at)),
    );
    this.#ended = Promise.all(this.#lanes);
    // `until` and `end` report a failure. It may happen while neither is awaited.
    this.#ended.catch(() => {});
  }

  async #say(url: string, apiKey: string, body: object): Promise<void> {
    try {
      const response = await fetch(`${url}/api/chat`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as { message?: string };
      // The server that replaces the killed one listens before it is ready (decisions §7).
      if (response.status === 503 && answer.message?.startsWith("The server is starting.")) return;
      const printed = JSON.stringify(answer);
      expect([response.status, answer], printed).toMatchObject([200, { success: true }]);
    } catch (error) {
      // A TypeError of fetch: the connection was lost during the call, or the server does not
      // listen.
      if (!(error instanceof TypeError)) throw error;
      this.inDoubt++;
      return;
    }
    this.#stored += 2;
    for (const [count, resolve] of this.#reached) if (this.#stored >= count) resolve();
  }

  /** Resolves when at least `count` messages are acknowledged. The writers continue. */
  async until(count: number): Promise<void> {
    if (this.#stored >= count) return;
    const reached = new Promise<void>((resolve) => this.#reached.set(count, resolve));
    await Promise.race([reached, this.#ended]);
  }

  async end(): Promise<void> {
    await this.#ended;
  }

  /** Stops the writers of a failed test. They would disturb the tests after it. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#lanes);
  }
}
