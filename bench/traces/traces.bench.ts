import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { chatLoadOf } from "../chat/load/chat-load.ts";
import { startChatHub } from "../processes/chat-hub.ts";
import { providerOf } from "../provider/start-provider.ts";
import type { Bench } from "../runner/bench.ts";
import { blame, takeTurns } from "../runner/measure.ts";
import { ratioGoal } from "../runner/report.ts";
import type { Stage } from "../runner/stage.ts";
import { checkOutRelease } from "../upgrade/releases.ts";

/** The commit before traces and the metrics of statements. */
const COMMIT = "46d4fca1";
const BEFORE = `before (${COMMIT})`;
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
        const load = await chatLoadOf(stage);
        const collector = await startCollector(stage);
        const { main } = await blame(BEFORE, () => checkOutRelease(stage, COMMIT));
        const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
        const contenders = [];
        for (const { name, settings = {}, ...former } of [
          { name: BEFORE, main },
          { name: "tracing unset" },
          { name: "tracing, 5 %", settings: traced },
          {
            name: "tracing, 100 %",
            settings: { ...traced, OTEL_TRACES_SAMPLER: "always_on" },
          },
        ]) {
          const databaseUrl = await stage.newDatabase();
          const all = { ...provider.settings, ...settings };
          const hub = await startChatHub(stage, { name, databaseUrl, settings: all, ...former });
          const clients = await hub.clients(stage.size(ROOMS, 2));
          contenders.push({ name, hub, clients });
        }
        const table = await takeTurns(stage, contenders, ROUNDS, async ({ hub, clients }) => {
          const [{ replies }, { cpuMs }] = await load.rooms(hub.server, {
            target: "hub",
            streamed: false,
            intervalMs: 0,
            port: hub.server.port,
            clients,
            seconds: stage.size(4, 0.4),
          });
          return { "CPU ms/chat": cpuMs / replies };
        });
        const goal = (of: string, atMost: number) =>
          ratioGoal(table, "CPU ms/chat", { of, to: BEFORE, atMost });
        return {
          table,
          goals: [goal("tracing unset", 1.02), goal("tracing, 5 %", 1.05)],
          faults: (await collector.hasSpans())
            ? []
            : ["tracing, 100 %: the collector received no spans"],
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
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stage.onEnd(() => server.close());
  const { port } = server.address() as AddressInfo;
  const late = () => sleep(EXPORTED_MS, false, { ref: false });
  return {
    url: `http://127.0.0.1:${port}`,
    hasSpans: () => Promise.race([first.promise, late()]),
  };
}
