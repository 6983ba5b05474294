import { watchProcess } from "../rest/pinned-process.ts";
import { type Contender, type Load, startContender, startLoad } from "./contenders.ts";
import { interleave, mediansOf } from "./medians.ts";
import { nowUs, type PeerOrder } from "./peers/peer-protocol.ts";
import { judgeRatios, type RatioGoal } from "./ratio-goals.ts";
import type { RowResult, RowTools } from "./row.ts";

export const SUBSCRIBERS = 500;
const CONCURRENT_CONNECTS = 16;
const SLICE_SECONDS = 1.5;

/** A server and its clients, all in the room room-0. */
export interface SubscribedServer {
  name: string;
  contender: Contender;
  groupId: number;
}

export async function subscribeClients(
  contender: Contender,
  load: Load,
  connections: number,
): Promise<SubscribedServer> {
  const { groupId, failures } = await load.ask({
    order: "connect",
    ...contender.address,
    connections,
    concurrency: CONCURRENT_CONNECTS,
    roomSize: connections,
  });
  refuseFailures(contender, failures);
  return { name: contender.name, contender, groupId };
}

export function refuseFailures({ name }: { name: string }, failures: string[]): void {
  if (failures.length > 0) throw new Error(`${name}: ${failures.join("; ")}`);
}

/** Resolves when every client has received every event in order. */
export async function broadcast(
  { name, contender, groupId }: SubscribedServer,
  load: Load,
  order: PeerOrder & { events: number },
) {
  await load.ask({ order: "expect", groupId, events: order.events });
  const startedUs = nowUs();
  await contender.order(order);
  const received = await load.ask({ order: "receive", groupId });
  refuseFailures({ name }, received.failures);
  return { ...received, broadcastSeconds: (received.endedUs - startedUs) / 1e6 };
}

interface Burst {
  names: string[];
  order: PeerOrder & { order: "burst" };
  goals: RatioGoal[];
}

/**
 * Measures bursts of events to a room of 500 clients, one burst after the other. Returns the
 * medians of five slices.
 */
export async function measureFanOut(
  tools: RowTools,
  { names, order, goals }: Burst,
): Promise<RowResult> {
  const load = startLoad();
  const servers: SubscribedServer[] = [];
  for (const name of names) {
    const contender = await startContender(name, tools);
    servers.push(await subscribeClients(contender, load, SUBSCRIBERS));
  }
  const takeSlice = async (server: SubscribedServer) => {
    let [seconds, clientCpuSeconds, deliveries] = [0, 0, 0];
    const watch = watchProcess(server.contender.process);
    while (seconds < SLICE_SECONDS) {
      const received = await broadcast(server, load, order);
      seconds += received.broadcastSeconds;
      clientCpuSeconds += received.cpuSeconds;
      deliveries += order.events * SUBSCRIBERS;
    }
    const cpuMs = watch.read()?.cpuMs ?? Number.NaN;
    return {
      rate: deliveries / seconds,
      cpuUs: (cpuMs * 1_000) / deliveries,
      serverCpu: cpuMs / 1_000 / seconds,
      clientCpu: clientCpuSeconds / seconds,
    };
  };
  for (const server of servers) await takeSlice(server);
  const samples = await interleave(servers, takeSlice);
  const rates = mediansOf(samples, ({ rate }) => rate);
  const clientCpus = mediansOf(samples, ({ clientCpu }) => clientCpu);
  const cpuUs = mediansOf(samples, (sample) => sample.cpuUs);
  const serverCpus = mediansOf(samples, ({ serverCpu }) => serverCpu);
  const percent = (share: number | undefined) => `${((share ?? Number.NaN) * 100).toFixed(0)} %`;
  return {
    figures: names.map((name) => ({
      contender: name,
      values: {
        "deliveries/s": (rates.get(name) ?? Number.NaN).toFixed(0),
        "CPU µs/delivery": (cpuUs.get(name) ?? Number.NaN).toFixed(2),
        "server CPU": percent(serverCpus.get(name)),
        "client CPU": percent(clientCpus.get(name)),
      },
    })),
    clientCpu: Math.max(...clientCpus.values()),
    verdicts: judgeRatios(rates, goals),
  };
}
