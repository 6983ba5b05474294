/** The load, in a process and on a core of its own. It takes orders from the bench, one at a time. */
import { nowUs } from "../peers/peer-protocol.ts";
import { Crowd } from "./crowd.ts";
import type { LoadAnswer, LoadOrder } from "./load-protocol.ts";

const crowds: Crowd[] = [];
let startUs = 0;
let cpuStart = process.cpuUsage();

async function obey(order: LoadOrder): Promise<LoadAnswer> {
  if (order.order !== "hear") {
    startUs = nowUs();
    cpuStart = process.cpuUsage();
  }
  const known = order.order === "connect" ? crowds.push(new Crowd()) - 1 : order.crowd;
  const crowd = crowds[known];
  if (!crowd) throw new Error(`There is no crowd ${known}.`);
  let times: Float64Array = new Float64Array(0);
  if (order.order === "connect") times = await crowd.connect(order);
  else if (order.order === "expect") crowd.expect(order.events);
  else if (order.order === "hear") times = await crowd.hear();
  else crowd.leave();
  const endedUs = nowUs();
  const { user, system } = process.cpuUsage(cpuStart);
  const sorted = times.sort();
  const quantileMs = (share: number) =>
    (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN) / 1_000;
  return {
    crowd: known,
    seconds: (endedUs - startUs) / 1e6,
    cpuSeconds: (user + system) / 1e6,
    failures: crowd.failures.splice(0).slice(0, 5),
    endedUs,
    p50Ms: quantileMs(0.5),
    p99Ms: quantileMs(0.99),
  };
}

process.on("message", async (order: LoadOrder) => {
  process.send?.(await obey(order));
});
// Ends with the bench, however that ends.
process.on("disconnect", () => process.exit());
