import { setTimeout as pause } from "node:timers/promises";
import { HUB, SOCKET_IO, startContender, startLoad, TRPC, WS } from "./contenders.ts";
import { refuseFailures } from "./fan-out.ts";
import { interleave, mediansOf } from "./medians.ts";
import { judgeRatios } from "./ratio-goals.ts";
import type { Row } from "./row.ts";

const CONNECTIONS = 5_000;
const ROOM_SIZE = 500;
const CONNECTS_AT_ONCE = 32;
/** So that what is loaded and made once does not count. */
const FIRST_CONNECTIONS = 200;
/** After a crowd has come or gone: presence has been told, leases have run out. */
const SETTLE_MS = 4_000;
const names = [HUB, WS, SOCKET_IO, TRPC];

/** What the server's process grows by for 5,000 clients who have joined and say nothing. */
export const row: Row = {
  id: "B4",
  work: "5,000 idle connections, memory",
  atMostSeconds: 480,
  async run(tools) {
    const load = startLoad();
    // Each time a new process: memory that was taken once is seldom given back.
    const weighCrowd = async ({ name }: { name: string }) => {
      const contender = await startContender(name, tools);
      const connect = async (connections: number) => {
        const order = { order: "connect", connections, atOnce: CONNECTS_AT_ONCE } as const;
        const came = await load.ask({ ...order, ...contender.address, roomSize: ROOM_SIZE });
        refuseFailures(contender, came.failures);
        await pause(SETTLE_MS);
        return came;
      };
      const first = await connect(FIRST_CONNECTIONS);
      await load.ask({ order: "leave", crowd: first.crowd });
      await pause(SETTLE_MS);
      const before = await contender.order({ order: "weigh" });
      const came = await connect(CONNECTIONS);
      const after = await contender.order({ order: "weigh" });
      const left = await load.ask({ order: "leave", crowd: came.crowd });
      refuseFailures(contender, left.failures);
      await contender.stop();
      return {
        rss: after.rssBytes - before.rssBytes,
        held: after.heldBytes - before.heldBytes,
      };
    };
    const samples = await interleave(
      names.map((name) => ({ name })),
      weighCrowd,
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
