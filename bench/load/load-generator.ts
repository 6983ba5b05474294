/**
 * The load generator, in a process of its own. The process executes one order of the benchmark at a
 * time.
 */
import { cpuWatch, executeOrders } from "../processes/execute-orders.ts";
import { quantile } from "../runner/quantile.ts";
import { openConnection, prepare } from "./http-connection.ts";
import type { LoadOrder, LoadResult } from "./load-protocol.ts";

/**
 * The generator sends every 611,953rd request of its list, in a cycle. The number is prime, so
 * every request gets its turn, and consecutive ones lie far apart.
 */
const STEP = 611_953;

async function generate(order: LoadOrder): Promise<LoadResult> {
  const requests = order.questions.map(prepare);
  const connections = await Promise.all(
    Array.from({ length: order.connections }, () => openConnection(order.port)),
  );
  const latencies: number[] = [];
  let failures = 0;
  let sent = 0;
  const start = performance.now();
  const cpu = cpuWatch();
  const end = start + order.seconds * 1000;

  await Promise.all(
    connections.map(async (connection) => {
      for (let now = performance.now(); now < end; ) {
        const request = requests[(sent++ * STEP) % requests.length];
        if (!request) throw new Error("The order contains no requests.");
        const isRight = await connection.ask(request);
        const answered = performance.now();
        latencies.push(answered - now);
        now = answered;
        if (isRight) continue;
        failures++;
        // A request on a closed connection fails at once, so a pause prevents a busy loop.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }),
  );
  const elapsedMs = performance.now() - start;
  for (const connection of connections) connection.close();
  return {
    requestsPerSecond: ((latencies.length - failures) * 1000) / elapsedMs,
    failures,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    generatorCpu: cpu(),
  };
}

executeOrders(generate);
