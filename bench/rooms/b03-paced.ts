import { watchProcess } from "../rest/pinned-process.ts";
import { HUB, SOCKET_IO, startContender, startLoad, TRPC, WS } from "./contenders.ts";
import { broadcast, SUBSCRIBERS, type SubscribedServer, subscribeClients } from "./fan-out.ts";
import { interleave, mediansOf } from "./medians.ts";
import { judgeRatios } from "./ratio-goals.ts";
import type { Row } from "./row.ts";

const DELIVERIES_PER_SECOND = 50_000;
const EVERY_MS = (SUBSCRIBERS * 1_000) / DELIVERIES_PER_SECOND;
const SLICE_SECONDS = 3;
const names = [HUB, WS, SOCKET_IO, TRPC];

/**
 * Broadcasts messages at a rate that every server sustains. The row measures the latency of the
 * last of 500 clients.
 */
export const row: Row = {
  id: "B3",
  work: "paced, 50 k deliveries/s, p99",
  atMostSeconds: 240,
  async run(tools) {
    const load = startLoad();
    const servers: SubscribedServer[] = [];
    for (const name of names) {
      const contender = await startContender(name, tools);
      servers.push(await subscribeClients(contender, load, SUBSCRIBERS));
    }
    const takeSlice = async (server: SubscribedServer) => {
      const watch = watchProcess(server.contender.process);
      const events = (SLICE_SECONDS * 1_000) / EVERY_MS;
      const order = { order: "pace", what: "message", events, everyMs: EVERY_MS } as const;
      const received = await broadcast(server, load, order);
      return {
        ...received,
        rate: (events * SUBSCRIBERS) / received.broadcastSeconds,
        serverCpu: (watch.read()?.cpuMs ?? Number.NaN) / 1_000 / received.broadcastSeconds,
        clientCpu: received.cpuSeconds / received.broadcastSeconds,
      };
    };
    for (const server of servers) await takeSlice(server);
    const samples = await interleave(servers, takeSlice);
    const of = (read: (sample: Awaited<ReturnType<typeof takeSlice>>) => number) =>
      mediansOf(samples, read);
    const [rates, p50s, p99s] = [of((s) => s.rate), of((s) => s.p50Ms), of((s) => s.p99Ms)];
    const [serverCpus, clientCpus] = [of((s) => s.serverCpu), of((s) => s.clientCpu)];
    const shown = (values: Map<string, number>, name: string, digits: number) =>
      (values.get(name) ?? Number.NaN).toFixed(digits);
    const percent = (values: Map<string, number>, name: string) =>
      `${((values.get(name) ?? Number.NaN) * 100).toFixed(0)} %`;
    return {
      figures: names.map((name) => ({
        contender: name,
        values: {
          "deliveries/s": shown(rates, name, 0),
          "p50 ms": shown(p50s, name, 2),
          "p99 ms": shown(p99s, name, 2),
          "server CPU": percent(serverCpus, name),
          "client CPU": percent(clientCpus, name),
        },
      })),
      clientCpu: Math.max(...clientCpus.values()),
      verdicts: judgeRatios(p99s, [{ contender: SOCKET_IO, atMost: 1.1 }]),
    };
  },
};
