import { setTimeout as sleep } from "node:timers/promises";
import { RepeatedCalls } from "../load/repeated-calls.ts";
import { type Server, startHub } from "../processes/server.ts";
import { providerOf } from "../provider/start-provider.ts";
import type { Scenario } from "../runner/bench.ts";
import { redisUrl } from "../runner/bench-database.ts";
import { blame } from "../runner/measure.ts";
import { startLoadBalancer } from "./load-balancer.ts";
import { faultsOf, startParticipant } from "./participants.ts";
import { EARLIER, earlierOf, PRESENT } from "./releases.ts";

/** Servers of both releases share a database and Redis behind HAProxy (0030). */
export const upgradeServers: Scenario = {
  name: "two servers of each release",
  atMostSeconds: 600,
  async run(stage) {
    const phaseMs = stage.size(10_000, 300);
    /** Clients of each room over WebSocket. One more uses SSE. */
    const sockets = stage.size(4, 1);
    const databaseUrl = await stage.newDatabase();
    const earlierRelease = await earlierOf(stage);
    const proxy = await blame("HAProxy", () => startLoadBalancer(stage));
    const settings = {
      ...(await providerOf(stage)).settings,
      DATA_DIR: await stage.newDirectory(),
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      BASE_URL: proxy.url,
      TRUST_PROXY: "127.0.0.1",
    };
    const servers = new Map<number, Server>();
    const start = async (name: typeof EARLIER | typeof PRESENT, n: number) => {
      const main = name === EARLIER ? earlierRelease : undefined;
      const options = { name, main, port: proxy.ports[n] };
      servers.set(n, await startHub(stage, settings, options));
    };
    const faults: string[] = [];
    const stop = async (n: number) => {
      const code = await servers.get(n)?.stop();
      if (code !== 0) faults.push(`server ${n} ended with ${code}`);
    };
    // A measurement has two servers of each release, and smoke has one.
    const earlier = stage.size([0, 1], [0]);
    const present = stage.size([2, 3], [2]);

    await proxy.uses();
    await Promise.all(earlier.map((n) => start(EARLIER, n)));
    await proxy.uses(...earlier);
    const calls = new RepeatedCalls(stage);
    calls.begin("release 1 alone");
    const participants = await Promise.all(
      Array.from({ length: stage.size(4, 1) }, (_, n) =>
        startParticipant(proxy.url, `writer-${n}`, sockets, calls),
      ),
    );
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
    const keepers = participants.flatMap((participant) => participant.keepers);
    const apart = keepers.filter(({ online }) => online !== sockets + 2).length;

    calls.begin("release 1 stops");
    for (const n of earlier) await stop(n);
    await proxy.uses(...present);
    calls.begin("release 2 alone");
    await sleep(phaseMs);
    await calls.end();
    faults.push(...calls.faults);
    for (const each of participants) faults.push(...(await faultsOf(databaseUrl, each)));
    if (apart > 0 && !stage.isSmoke) faults.push(`${apart} clients saw not all participants`);
    return { table: calls.table(), faults };
  },
};
