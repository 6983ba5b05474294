import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defaultTiers } from "@soul-hub/api";
import {
  createActor,
  keepLog,
  PASSWORD,
  type ServerProcess,
  startOpenAiServer,
  startServerProcess,
} from "@soul-hub/api/testing";
import { createBenchDatabase } from "../rest/bench-database.ts";
import { printTable } from "../rest/report.ts";
import { redisUrl } from "../rooms/faults/bench-redis.ts";
import { Calls, type Participant } from "./calls.ts";
import { upgradeEmbedded } from "./embedded.ts";
import { findFaults } from "./find-faults.ts";
import { startLoadBalancer } from "./load-balancer.ts";
import { checkOutRelease, presentRelease } from "./releases.ts";

/** The last commit of the first release. */
const FIRST_RELEASE = "9c12d14";
const ROOMS = 4;
/** Clients of each room over WebSocket, and one more over SSE. */
const SOCKETS = 4;
const PHASE_MS = 10_000;
const ADMIN_TOKEN = "admin-token-of-the-benchmark";

/**
 * Upgrades two servers behind HAProxy under load, and one embedded server (0030). The first
 * argument is the commit of the earlier release.
 */
export async function run([commit = FIRST_RELEASE]: string[]): Promise<boolean> {
  await using earlier = await checkOutRelease(commit);
  const results = [await upgradeServers(earlier.main), await upgradeEmbedded(earlier.main)];
  const faults = results.flat();
  for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
  console.log(`\n${faults.length === 0 ? "reached" : "MISSED "}  ${faults.length} faults, goal 0`);
  return faults.length === 0;
}

/** Returns the faults that the clients saw. */
async function upgradeServers(earlier: string): Promise<string[]> {
  await using opened = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-upgrade-"));
  opened.defer(() => rm(directory, { recursive: true, force: true }));
  const database = await createBenchDatabase(0);
  opened.defer(() => database.drop());
  const model = opened.use(await startOpenAiServer({ reply: () => "So it is." }));
  const proxy = opened.use(await startLoadBalancer(directory));
  const tiersFile = path.join(directory, "tiers.json");
  const pro = { ...defaultTiers.pro, daily_limit: 1_000_000 };
  await writeFile(tiersFile, JSON.stringify({ ...defaultTiers, pro }));
  const env = {
    DATA_DIR: directory,
    DATABASE_URL: database.url,
    REDIS_URL: redisUrl(),
    ADMIN_TOKEN,
    MASTER_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    BASE_URL: proxy.url,
    TRUST_PROXY: "127.0.0.1",
    RATE_LIMITS: "off",
    TIERS_FILE: tiersFile,
    TEXT_MODEL: "openai-compatible:test",
    OPENAI_COMPATIBLE_BASE_URL: model.url,
  };
  const servers = new Map<number, ServerProcess>();
  opened.defer(async () => {
    for (const server of servers.values()) await server.kill();
  });
  const start = async (main: string, n: number) => {
    const began = performance.now();
    servers.set(n, await startServerProcess(main, { ...env, PORT: String(proxy.ports[n]) }));
    return `${((performance.now() - began) / 1_000).toFixed(1)} s`;
  };

  await proxy.uses();
  await Promise.all([start(earlier, 0), start(earlier, 1)]);
  await proxy.uses(0, 1);
  const participants = await openRooms(proxy.url);
  const calls = new Calls();
  const keepers = participants.map(({ room }, n) =>
    Array.from({ length: SOCKETS + 1 }, (_, m) =>
      keepLog({
        userAgent: `client ${n}.${m}`,
        url: () => proxy.url,
        room,
        overSse: m === SOCKETS,
        isAskedToReconnect: true,
      }),
    ),
  );
  calls.begin("release 1 alone");
  for (const participant of participants) calls.start(participant);
  await sleep(PHASE_MS);

  calls.begin("release 2 starts and migrates");
  const started = await start(presentRelease, 2);
  await start(presentRelease, 3);
  await proxy.uses(0, 1, 2, 3);
  calls.begin("both releases");
  await sleep(PHASE_MS);

  calls.begin("release 1 restarts on the new schema");
  const codes = [await servers.get(1)?.stop()];
  await start(earlier, 1);
  await proxy.uses(0, 1, 2, 3);
  await sleep(PHASE_MS);
  const apart = keepers.flat().filter(({ online }) => online !== SOCKETS + 2).length;

  calls.begin("release 1 stops");
  codes.push(await servers.get(0)?.stop(), await servers.get(1)?.stop());
  await proxy.uses(2, 3);
  calls.begin("release 2 alone");
  await sleep(PHASE_MS);
  await calls.end();

  console.log("\nTwo servers of each release behind HAProxy\n");
  printTable([
    ["phase", "calls", "failures", "p50 ms", "p99 ms", "max ms"],
    ...calls.phases.map(({ name, ms, failures }) => {
      const sorted = ms.toSorted((a, b) => a - b);
      const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]?.toFixed(0) ?? "";
      const counts = [ms.length, failures.length].map(String);
      return [name, ...counts, at(0.5), at(0.99), at(1)];
    }),
  ]);
  const log = await findFaults(database.url, participants, keepers, calls);
  console.log(
    `\n${log.messages} messages in ${ROOMS} rooms; release 2 listened after ${started} with its migration`,
  );
  return [
    ...calls.phases.flatMap(({ name, failures }) => failures.map((one) => `${name}: ${one}`)),
    ...codes.filter((code) => code !== 0).map((code) => `a server ended with ${code}`),
    ...(apart ? [`${apart} clients saw not all participants`] : []),
    ...log.faults,
  ];
}

/** Registers an account for each room, publishes its soul and names the room. */
const openRooms = (url: string): Promise<Participant[]> =>
  Promise.all(
    Array.from({ length: ROOMS }, async (_, n) => {
      const username = `writer-${n}`;
      const account = { username, password: PASSWORD, email: `${username}@example.org` };
      const { body } = await createActor({ name: username, baseUrl: () => url }).post(
        "/api/register",
        account,
      );
      const operator = createActor({ name: "operator", apiKey: ADMIN_TOKEN, baseUrl: () => url });
      await operator.post("/api/admin/pass", { username, tier: "pro", days: 1 });
      const actor = createActor({ name: username, apiKey: body.api_key, baseUrl: () => url });
      const soul = await actor.post("/api/souls", { title: "Orla", content: "I keep the light." });
      return { actor, room: { soul_id: soul.body.id, session_token: "hall" } };
    }),
  );
