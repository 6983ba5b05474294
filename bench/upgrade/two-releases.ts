import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defaultTiers } from "@soul-hub/api";
import {
  keepLog,
  type ServerProcess,
  startOpenAiServer,
  startServerProcess,
} from "@soul-hub/api/testing";
import { newMember, ok } from "../processes/member.ts";
import { ADMIN_TOKEN } from "../processes/server.ts";
import type { Scenario } from "../runner/bench.ts";
import { redisUrl } from "../runner/bench-database.ts";
import { blame } from "../runner/measure.ts";
import { Calls, type Participant } from "./calls.ts";
import { EARLIER, earlierOf, PRESENT } from "./earlier-release.ts";
import { findFaults } from "./find-faults.ts";
import { startLoadBalancer } from "./load-balancer.ts";
import { presentRelease } from "./releases.ts";

/** Servers of both releases share a database and Redis behind HAProxy (0030). */
export const upgradeServers: Scenario = {
  name: "two servers of each release",
  atMostSeconds: 600,
  async run(stage) {
    const phaseMs = stage.size(10_000, 300);
    /** Clients of each room over WebSocket. One more uses SSE. */
    const sockets = stage.size(4, 1);
    const directory = await stage.newDirectory();
    const databaseUrl = await stage.newDatabase();
    const { main: earlierRelease } = await earlierOf(stage);
    const model = stage.use(await startOpenAiServer({ reply: () => "So it is." }));
    const proxy = await blame("HAProxy", async () => stage.use(await startLoadBalancer(directory)));
    const tiersFile = path.join(directory, "tiers.json");
    const pro = { ...defaultTiers.pro, daily_limit: 1_000_000 };
    await writeFile(tiersFile, JSON.stringify({ ...defaultTiers, pro }));
    const env = {
      DATA_DIR: directory,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
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
    const start = (release: typeof EARLIER | typeof PRESENT, n: number) =>
      blame(release, async () => {
        const main = release === EARLIER ? earlierRelease : presentRelease;
        const PORT = String(proxy.ports[n]);
        servers.set(n, stage.use(await startServerProcess(main, { ...env, PORT })));
      });
    const faults: string[] = [];
    const stop = async (n: number) => {
      const code = await servers.get(n)?.stop();
      if (code !== 0) faults.push(`server ${n} ended with ${code}`);
    };
    // A measurement has two servers of each release, and smoke has one.
    const [earlier, present] = stage.size(
      [
        [0, 1],
        [2, 3],
      ],
      [[0], [2]],
    ) as [number[], number[]];

    await proxy.uses();
    await Promise.all(earlier.map((n) => start(EARLIER, n)));
    await proxy.uses(...earlier);
    const participants = await Promise.all(
      Array.from({ length: stage.size(4, 1) }, (_, n) => openRoom(proxy.url, `writer-${n}`)),
    );
    const calls = new Calls();
    const keepers = participants.map(({ room }, n) =>
      Array.from({ length: sockets + 1 }, (_, m) =>
        keepLog({
          userAgent: `client ${n}.${m}`,
          url: () => proxy.url,
          room,
          overSse: m === sockets,
          isAskedToReconnect: true,
        }),
      ),
    );
    calls.begin("release 1 alone");
    for (const participant of participants) calls.start(participant);
    await sleep(phaseMs);

    calls.begin("release 2 starts and migrates");
    for (const n of present) await start(PRESENT, n);
    await proxy.uses(...earlier, ...present);
    calls.begin("both releases");
    await sleep(phaseMs);

    // Where the clients, the proxy and the servers share a busy machine, a stop may cut a call.
    if (stage.isSmoke) await calls.end();
    const restarted = earlier.at(-1) ?? 0;
    calls.begin("release 1 restarts on the new schema");
    await stop(restarted);
    await start(EARLIER, restarted);
    await proxy.uses(...earlier, ...present);
    await sleep(phaseMs);
    const apart = keepers.flat().filter(({ online }) => online !== sockets + 2).length;

    calls.begin("release 1 stops");
    for (const n of earlier) await stop(n);
    await proxy.uses(...present);
    calls.begin("release 2 alone");
    await sleep(phaseMs);
    await calls.end();
    faults.push(...calls.faults, ...(await findFaults(databaseUrl, participants, keepers, calls)));
    if (apart > 0 && !stage.isSmoke) faults.push(`${apart} clients saw not all participants`);
    return { table: calls.table(), faults };
  },
};

/** Registers an account, publishes its soul and names its room. */
async function openRoom(url: string, username: string): Promise<Participant> {
  const actor = await newMember(url, username, "pro");
  const soul = { title: "Orla", content: "I keep the light." };
  const { id } = await ok(actor.post("/api/souls", soul));
  return { actor, room: { soul_id: id, session_token: "hall" } };
}
