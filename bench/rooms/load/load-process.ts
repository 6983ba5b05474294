/**
 * The load generator, a process with a CPU core of its own. The process executes orders of the
 * benchmark.
 */
import { executeOrders } from "../../processes/execute-orders.ts";
import { quantile } from "../../runner/quantile.ts";
import { nowUs } from "../peers/peer-protocol.ts";
import { ClientGroup } from "./client-group.ts";
import type { LoadAnswer, LoadOrder } from "./load-protocol.ts";

const groups: ClientGroup[] = [];
let startUs = 0;
let cpuStart = process.cpuUsage();

async function execute(order: LoadOrder): Promise<LoadAnswer> {
  if (order.order !== "receive") {
    startUs = nowUs();
    cpuStart = process.cpuUsage();
  }
  const known = order.order === "connect" ? groups.push(new ClientGroup()) - 1 : order.groupId;
  const group = groups[known];
  if (!group) throw new Error(`No connections have the id ${known}.`);
  let times: Float64Array = new Float64Array(0);
  if (order.order === "connect") times = await group.connect(order);
  else if (order.order === "expect") group.expect(order.events);
  else if (order.order === "receive") times = await group.receive();
  else group.leave();
  const endedUs = nowUs();
  const { user, system } = process.cpuUsage(cpuStart);
  return {
    groupId: known,
    seconds: (endedUs - startUs) / 1e6,
    cpuSeconds: (user + system) / 1e6,
    failures: group.failures.splice(0).slice(0, 5),
    endedUs,
    p50Ms: quantile(times, 0.5) / 1_000,
    p99Ms: quantile(times, 0.99) / 1_000,
  };
}

executeOrders(execute);
