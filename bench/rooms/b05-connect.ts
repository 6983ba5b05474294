import { setTimeout as pause } from "node:timers/promises";
import { watchProcess } from "../rest/pinned-process.ts";
import {
  type Contender,
  HUB,
  SOCKET_IO,
  startContender,
  startLoad,
  TRPC,
  WS,
} from "./contenders.ts";
import { refuseFailures } from "./fan-out.ts";
import { interleave, mediansOf } from "./medians.ts";
import { judgeRatios } from "./ratio-goals.ts";
import type { Row } from "./row.ts";

const CONNECTIONS = 2_000;
const ROOM_SIZE = 50;
const CONCURRENT_CONNECTS = 64;
/**
 * The pause after clients leave, until leave events are sent and empty rooms close after the grace
 * period.
 */
const SETTLE_MS = 4_500;
const names = [HUB, WS, SOCKET_IO, TRPC];

/**
 * Measures how fast clients connect, upgrade to WebSocket, join a room and receive its sync, 64 at
 * a time.
 */
export const row: Row = {
  id: "B5",
  work: "connect + subscribe + sync",
  atMostSeconds: 300,
  async run(tools) {
    const load = startLoad();
    const contenders: Contender[] = [];
    for (const name of names) contenders.push(await startContender(name, tools));
    const storm = async (contender: Contender) => {
      const watch = watchProcess(contender.process);
      const came = await load.ask({
        order: "connect",
        ...contender.address,
        connections: CONNECTIONS,
        concurrency: CONCURRENT_CONNECTS,
        roomSize: ROOM_SIZE,
      });
      const cpuMs = watch.read()?.cpuMs ?? Number.NaN;
      refuseFailures(contender, came.failures);
      await load.ask({ order: "leave", groupId: came.groupId });
      await pause(SETTLE_MS);
      return {
        rate: CONNECTIONS / came.seconds,
        p50Ms: came.p50Ms,
        p99Ms: came.p99Ms,
        cpuUs: (cpuMs * 1_000) / CONNECTIONS,
        serverCpu: cpuMs / 1_000 / came.seconds,
        clientCpu: came.cpuSeconds / came.seconds,
      };
    };
    for (const contender of contenders) await storm(contender);
    const samples = await interleave(contenders, storm);
    const of = (read: (sample: Awaited<ReturnType<typeof storm>>) => number) =>
      mediansOf(samples, read);
    const rates = of(({ rate }) => rate);
    const clientCpus = of(({ clientCpu }) => clientCpu);
    const columns: [string, Map<string, number>, (value: number) => string][] = [
      ["connects/s", rates, (value) => value.toFixed(0)],
      ["CPU µs/connect", of(({ cpuUs }) => cpuUs), (value) => value.toFixed(0)],
      ["p50 ms", of(({ p50Ms }) => p50Ms), (value) => value.toFixed(1)],
      ["p99 ms", of(({ p99Ms }) => p99Ms), (value) => value.toFixed(1)],
      ["server CPU", of(({ serverCpu }) => serverCpu), percent],
      ["client CPU", clientCpus, percent],
    ];
    return {
      figures: names.map((contender) => ({
        contender,
        values: Object.fromEntries(
          columns.map(([head, values, show]) => [head, show(values.get(contender) ?? Number.NaN)]),
        ),
      })),
      clientCpu: Math.max(...clientCpus.values()),
      verdicts: judgeRatios(rates, [{ contender: SOCKET_IO, atLeast: 0.85 }]),
    };
  },
};

const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
