import { setTimeout as pause } from "node:timers/promises";
import { HUB, SOCKET_IO, startContender, startLoad, TRPC, WS } from "./contenders.ts";
import { refuseFailures } from "./fan-out.ts";
import { interleave, mediansOf } from "./medians.ts";
import { judgeRatios } from "./ratio-goals.ts";
import type { Row } from "./row.ts";

const CONNECTIONS = 5_000;
const ROOM_SIZE = 500;
const CONCURRENT_CONNECTS = 32;
/**
 * The number of connections that are opened and closed before the measurement, so that one-time
 * allocations don't count.
 */
const FIRST_CONNECTIONS = 200;
/**
 * The pause after clients connect or leave, until presence events are sent and leases have expired.
 */
const SETTLE_MS = 4_000;
const names = [HUB, WS, SOCKET_IO, TRPC];

/** Measures how much the server's memory grows for 5,000 idle clients. */
export const row: Row = {
  id: "B4",
  work: "5,000 idle connections, memory",
  atMostSeconds: 480,
  async run(tools) {
    const load = startLoad();
    // Each sample uses a new server process, because a process seldom returns freed memory to the
    // system.
    const measureMemory = async ({ name }: { name: string }) => {
      const contender = await startContender(name, tools);
      const connect = async (connections: number) => {
        const order = { order: "connect", connections, concurrency: CONCURRENT_CONNECTS } as const;
        const came = await load.ask({ ...order, ...contender.address, roomSize: ROOM_SIZE });
        refuseFailures(contender, came.failures);
        await pause(SETTLE_MS);
        return came;
      };
      const first = await connect(FIRST_CONNECTIONS);
      await load.ask({ order: "leave", groupId: first.groupId });
      await pause(SETTLE_MS);
      const before = await contender.order({ order: "weigh" });
      const came = await connect(CONNECTIONS);
      const after = await contender.order({ order: "weigh" });
      const left = await load.ask({ order: "leave", groupId: came.groupId });
      refuseFailures(contender, left.failures);
      await contender.stop();
      return {
        rss: after.rssBytes - before.rssBytes,
        held: after.heldBytes - before.heldBytes,
      };
    };
    const samples = await interleave(
      names.map((name) => ({ name })),
      measureMemory,
    );
    const rss = mediansOf(samples, (sample) => sample.rss);
    const held = mediansOf(samples, (sample) => sample.held);
    const kilobytesEach = (values: Map<string, number>, name: string) =>
      ((values.get(name) ?? Number.NaN) / CONNECTIONS / 1_000).toFixed(1);
    return {
      figures: names.map((name) => ({
        contender: name,
        values: {
          "RSS, MB": ((rss.get(name) ?? Number.NaN) / 1e6).toFixed(1),
          "RSS, KB each": kilobytesEach(rss, name),
          "heap and buffers, KB each": kilobytesEach(held, name),
        },
      })),
      clientCpu: null,
      verdicts: judgeRatios(rss, [{ contender: SOCKET_IO, atMost: 1.5 }]),
    };
  },
};
