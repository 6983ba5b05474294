import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { chatClientsOf } from "../chat/chat.bench.ts";
import { startChatHub } from "../processes/chat-hub.ts";
import { providerOf } from "../provider/start-provider.ts";
import type { Bench } from "../runner/bench.ts";
import { blame, takeTurns, watched } from "../runner/measure.ts";
import { ratioGoal } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import { checkOutRelease } from "../upgrade/releases.ts";

/** The commit before traces and the metrics of statements. */
const COMMIT = "46d4fca1";
const BEFORE = `before (${COMMIT})`;
const UNSET = "tracing unset";
const SAMPLED = "tracing, 5 %";
const ALL = "tracing, 100 %";
const ROOMS = 16;
const ROUNDS = 15;

/** What do traces and metrics cost per chat, against the commit before them? */
export const bench: Bench = {
  scenarios: [
    {
      name: "CPU per chat",
      atMostSeconds: 900,
      async run(stage) {
        const provider = await providerOf(stage);
        const { remote } = await chatClientsOf(stage);
        const collector = await startCollector(stage);
        const main = await blame(BEFORE, () => checkOutRelease(stage, COMMIT));
        const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
        const start = async (name: string, settings: Record<string, string>, main?: string) => {
          const databaseUrl = await stage.newDatabase();
          const all = { ...provider.settings, ...settings };
          const hub = await startChatHub(stage, { name, databaseUrl, settings: all, main });
          return { name, hub, clients: await hub.clients(stage.size(ROOMS, 2)) };
        };
        const contenders = await Promise.all([
          start(BEFORE, {}, main),
          start(UNSET, {}),
          start(SAMPLED, traced),
          start(ALL, { ...traced, OTEL_TRACES_SAMPLER: "always_on" }),
        ]);
        const seconds = stage.size(4, 0.4);
        const table = await takeTurns(stage, contenders, ROUNDS, async ({ hub, clients }) => {
          const { port, process } = hub.server;
          const [{ replies }, { cpuMs }] = await watched(process, () =>
            remote.rooms({ target: "hub", port, clients, seconds, intervalMs: 0, streamed: false }),
          );
          return { "CPU ms/chat": cpuMs / replies };
        });
        const goal = (of: string, atMost: number) =>
          ratioGoal(table, "CPU ms/chat", { of, to: BEFORE, atMost });
        return {
          table,
          goals: [goal(UNSET, 1.02), goal(SAMPLED, 1.05)],
          faults: (await collector.hasSpans()) ? [] : [`${ALL}: the collector received no spans`],
        };
      },
    },
  ],
};

/** A server exports its spans every 5 s. */
const EXPORTED_MS = 15_000;

/** A collector of traces that reads and drops all spans. */
async function startCollector(stage: Stage) {
  const first = Promise.withResolvers<true>();
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.end("{}"));
    first.resolve(true);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  stage.onEnd(() => server.close());
  const { port } = server.address() as AddressInfo;
  const late = () => sleep(EXPORTED_MS, false, { ref: false });
  return {
    url: `http://127.0.0.1:${port}`,
    hasSpans: () => Promise.race([first.promise, late()]),
  };
}
