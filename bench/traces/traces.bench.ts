import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { freePort } from "@soul-hub/api/testing";
import { type ChatHub, startChatHub } from "../chat/chat-hub.ts";
import type { ChatClient } from "../chat/load/load-protocol.ts";
import { startChatClients } from "../chat/load/start-chat-clients.ts";
import { cleanRun } from "../clean-run.ts";
import { median } from "../median.ts";
import { startPinned, watchProcess } from "../rest/pinned-process.ts";
import { printTable } from "../rest/report.ts";
import { checkOutRelease } from "../upgrade/releases.ts";

/** The commit before traces and the metrics of statements. */
const BEFORE = "46d4fca1";
const ROOMS = 16;
const ROUNDS = 15;
const SLICE_SECONDS = 4;
const WARM_UP_SECONDS = 6;
const AT_MOST_MS = 900_000;
/** The CPU core of the model provider and the clients. The hubs run on the other core. */
const OTHER_CORE = 1;

interface Contender {
  name: string;
  /** Most CPU per chat, as a multiple of the commit before. */
  goal: number | null;
  settings: Record<string, string>;
  main?: string | undefined;
}

interface Measured extends Contender {
  hub: ChatHub;
  clients: ChatClient[];
  cpuMs: number[];
}

/**
 * Runs `pnpm bench traces`: the CPU time of a server per POST /api/chat. Resolves to true if every
 * goal is reached.
 */
export const run = (): Promise<boolean> =>
  cleanRun(AT_MOST_MS, async (newDatabase, onEnd) => {
    const providerPort = await freePort();
    const script = fileURLToPath(new URL("../chat/provider-process.ts", import.meta.url));
    startPinned(OTHER_CORE, script, [String(providerPort)], { ipc: true });
    const load = startChatClients(OTHER_CORE);
    const collector = await startCollector();
    onEnd(async () => void collector.server.close());
    const before = await checkOutRelease(BEFORE);
    onEnd(async () => before[Symbol.asyncDispose]());
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const contenders: Contender[] = [
      { name: `before (${BEFORE})`, goal: null, settings: {}, main: before.main },
      { name: "tracing unset", goal: 1.02, settings: {} },
      { name: "tracing, 5 %", goal: 1.05, settings: traced },
      {
        name: "tracing, 100 %",
        goal: null,
        settings: { ...traced, OTEL_TRACES_SAMPLER: "always_on" },
      },
    ];
    const measured: Measured[] = [];
    for (const contender of contenders) {
      const databaseUrl = await newDatabase();
      const { name, settings, main } = contender;
      const hub = await startChatHub(name, { databaseUrl, providerPort, settings, main }, onEnd);
      measured.push({ ...contender, hub, clients: await hub.clients(ROOMS), cpuMs: [] });
    }
    const measure = async ({ hub, clients }: Measured, seconds: number): Promise<number> => {
      const watch = watchProcess(hub.process);
      const { replies } = await load.rooms({
        target: "hub",
        streamed: false,
        intervalMs: 0,
        port: hub.port,
        clients,
        seconds,
      });
      return (watch.read()?.cpuMs ?? Number.NaN) / replies;
    };
    for (const each of measured) await measure(each, WARM_UP_SECONDS);
    // The contenders alternate in short slices, so that a disturbance affects all of them.
    for (let round = 0; round < ROUNDS; round++) {
      for (const each of measured) each.cpuMs.push(await measure(each, SLICE_SECONDS));
    }
    return report(measured);
  });

function report(measured: readonly Measured[]): boolean {
  const reference = median(measured[0]?.cpuMs ?? []);
  const results = measured.map(({ name, goal, cpuMs }) => {
    const ratio = median(cpuMs) / reference;
    return { name, goal, cpu: median(cpuMs), ratio, reached: goal === null || ratio <= goal };
  });
  printTable([
    ["server", "CPU ms/chat", "× before", "goal", "verdict"],
    ...results.map(({ name, goal, cpu, ratio, reached }) => [
      name,
      cpu.toFixed(3),
      ratio.toFixed(3),
      goal === null ? "–" : `≤ ${goal}`,
      reached ? "reached" : "missed",
    ]),
  ]);
  return results.every(({ reached }) => reached);
}

/** A collector of traces that reads and drops all spans. */
async function startCollector() {
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.end("{}"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
