import { watchProcess } from "../rest/pinned-process.ts";
import { type Contender, type Load, startContender, startLoad } from "./contenders.ts";
import { interleave, mediansOf } from "./medians.ts";
import { nowUs, type PeerOrder } from "./peers/peer-protocol.ts";
import { judgeRatios, type RatioGoal } from "./ratio-goals.ts";
import type { RowResult, RowTools } from "./row.ts";

export const SUBSCRIBERS = 500;
const CONNECTS_AT_ONCE = 16;
const SLICE_SECONDS = 1.5;

/** Everybody who listens to room-0 of one server. */
export interface Audience {
  name: string;
  contender: Contender;
  crowd: number;
}

export async function gatherAudience(
  contender: Contender,
  load: Load,
  connections: number,
): Promise<Audience> {
  const { crowd, failures } = await load.ask({
    order: "connect",
    ...contender.address,
    connections,
    atOnce: CONNECTS_AT_ONCE,
    roomSize: connections,
  });
  refuseFailures(contender, failures);
  return { name: contender.name, contender, crowd };
}

export function refuseFailures({ name }: { name: string }, failures: string[]): void {
  if (failures.length > 0) throw new Error(`${name}: ${failures.join("; ")}`);
}

/** Everybody has heard everything, in order, when this is done. */
export async function tellAudience(
  { name, contender, crowd }: Audience,
  load: Load,
  order: PeerOrder & { events: number },
) {
  await load.ask({ order: "expect", crowd, events: order.events });
  const startedUs = nowUs();
  await contender.order(order);
  const heard = await load.ask({ order: "hear", crowd });
  refuseFailures({ name }, heard.failures);
  return { ...heard, tellingSeconds: (heard.endedUs - startedUs) / 1e6 };
}

interface Burst {
  names: string[];
  order: PeerOrder & { order: "burst" };
  goals: RatioGoal[];
}

/** Bursts to a room of 500, each told when the last was heard by all: medians of five slices. */
export async function measureFanOut(
  tools: RowTools,
  { names, order, goals }: Burst,
): Promise<RowResult> {
  const load = startLoad();
  const audiences: Audience[] = [];
  for (const name of names) {
    const contender = await startContender(name, tools);
    audiences.push(await gatherAudience(contender, load, SUBSCRIBERS));
  }
  const takeSlice = async (audience: Audience) => {
    let [seconds, clientCpuSeconds, deliveries] = [0, 0, 0];
    const watch = watchProcess(audience.contender.process);
    while (seconds < SLICE_SECONDS) {
      const heard = await tellAudience(audience, load, order);
      seconds += heard.tellingSeconds;
      clientCpuSeconds += heard.cpuSeconds;
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
  for (const audience of audiences) await takeSlice(audience);
  const samples = await interleave(audiences, takeSlice);
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
