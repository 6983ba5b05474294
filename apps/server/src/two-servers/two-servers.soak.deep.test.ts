import { setTimeout as sleep } from "node:timers/promises";
import {
  freePort,
  runOnServer,
  startOpenAiServer,
  startPgbouncer,
  startPostgres,
  startRedis,
} from "@soul-hub/api/testing";
import { describe, expect, inject, it } from "vitest";
import { openAccount } from "../testing/open-account.fixture.ts";
import { makePlace } from "../testing/server-place.fixture.ts";
import { startServerProcess } from "../testing/server-process.fixture.ts";
import { behindProxy, expectWholeLogs, hubAt, openHall } from "./hall.fixture.ts";
import {
  callRepeatedly,
  countConnections,
  type Refusal,
  startHaproxy,
} from "./two-servers.fixture.ts";

const { postgres, postgresPrograms, pgbouncer, redisServer, haproxy } = inject("services");

/** SOAK_MINUTES sets the duration. A full run takes 10 minutes. */
const SOAK_MS = Number(process.env.SOAK_MINUTES) * 60_000 || 24_000;
const KEEPERS = 16;
const STREAMS = 4;
const WRITERS = 8;
/** In ten minutes each account stays within its daily quota. */
const PAUSE_MS = 700;
const POOL_SIZE = 14;
/** Decision 0032: the pooler's connections, and those of servers that start. */
const MAX_CONNECTIONS = 20;
const OUTAGE_MS = 2_000;
/** Time that clients, pooler and load balancer have to notice that a service is back. */
const RECOVERY_MS = 3_000;

interface Restartable {
  stop(): Promise<void>;
  start(): Promise<void>;
}

describe.skipIf(!(postgres && postgresPrograms && pgbouncer && redisServer && haproxy))(
  "two servers behind HAProxy, with PgBouncer before PostgreSQL",
  () => {
    it(
      "lose no message while each service restarts once, and keep few connections",
      async () => {
        await using database = await startPostgres();
        await using redis = await startRedis();
        await using pooler = await startPgbouncer({ server: database.url, poolSize: POOL_SIZE });
        await using place = await makePlace("postgresql", {
          url: pooler.through(database.url),
          directUrl: database.url,
          pooler: "transaction",
        });
        await using model = await startOpenAiServer({ reply: () => "So it is." });
        const ports = [await freePort(), await freePort()];
        await using proxy = await startHaproxy(ports);
        await using stack = new AsyncDisposableStack();
        const env = { ...place.env, ...behindProxy(proxy, redis.url, model.url) };
        for (const port of ports) {
          stack.use(await startServerProcess({ ...env, PORT: String(port) }));
        }
        await proxy.usesAllServers();

        const hub = hubAt(proxy.url);
        const adminToken = await place.adminToken();
        const names = Array.from({ length: WRITERS }, (_, n) => `writer-${n}`);
        const people = await Promise.all(
          names.map((name) => openAccount(hub, adminToken, name, "pro")),
        );
        const [ada = hub.actor({ name: "nobody" })] = people;
        const hall = { url: proxy.url, clients: KEEPERS, streams: STREAMS };
        const { room, keepers, syncPath } = await openHall(ada, hall);

        const connections = countConnections(database.url);
        const acknowledged: string[] = [];
        const chats = people.map((person) =>
          callRepeatedly(async (n) => {
            const content = `${person.name} asks ${n}`;
            const answer = await person.post("/api/chat", { ...room, content });
            if (answer.status === 200) acknowledged.push(content);
            return answer;
          }, PAUSE_MS),
        );
        const reads = ["/api/souls", syncPath].map((address) =>
          callRepeatedly(() => ada.get(address), PAUSE_MS),
        );

        const outages: { from: number; to: number }[] = [];
        const services: Restartable[] = [
          { ...pooler, stop: pooler.kill },
          database,
          { ...redis, stop: redis.kill },
        ];
        for (const service of services) {
          await sleep(SOAK_MS / 4);
          const from = performance.now();
          await service.stop();
          await sleep(OUTAGE_MS);
          await service.start();
          outages.push({ from, to: performance.now() + RECOVERY_MS });
        }
        await sleep(SOAK_MS / 4);
        const callers = [...chats, ...reads];
        await Promise.all(callers.map((caller) => caller.end()));
        const mostConnections = connections.end();

        const refused = callers.flatMap((caller) => caller.refused);
        const isOutside = ({ from, to }: Refusal) =>
          !outages.some((outage) => from < outage.to && to > outage.from);
        console.log(
          `${acknowledged.length} chats; refused: ${refused.length}; connections: at most ${mostConnections}`,
        );
        expect(refused.filter(isOutside)).toEqual([]);
        expect(mostConnections).toBeLessThanOrEqual(MAX_CONNECTIONS);

        const { rows: log } = await runOnServer(
          database.url,
          "select id::int, prev_id::int, role, content from chat_messages order by id",
        );
        expect(log.map(({ prev_id }) => prev_id)).toEqual(
          [0, ...log.map(({ id }) => id)].slice(0, -1),
        );
        const asked = log.filter(({ role }) => role === "user").map(({ content }) => content);
        expect(new Set(asked).size).toBe(asked.length);
        expect(acknowledged.filter((content) => !asked.includes(content))).toEqual([]);
        await expectWholeLogs(keepers, log);
      },
      SOAK_MS + 120_000,
    );
  },
);
