/** The load generator, a process and a core of its own. Takes orders from the bench, one at a time. */
import { openConnection, prepare } from "./http-connection.ts";
import type { LoadOrder, LoadResult } from "./load-protocol.ts";

/** A step that is coprime to the number of questions visits all of them, spread wide. */
const STEP = 611_953;

async function generate(order: LoadOrder): Promise<LoadResult> {
  const questions = order.questions.map(prepare);
  const connections = await Promise.all(
    Array.from({ length: order.connections }, () => openConnection(order.port)),
  );
  const latencies: number[] = [];
  let failures = 0;
  let asked = 0;
  const start = performance.now();
  const cpuStart = process.cpuUsage();
  const end = start + order.seconds * 1000;

  await Promise.all(
    connections.map(async (connection) => {
      for (let now = performance.now(); now < end; ) {
        const question = questions[(asked++ * STEP) % questions.length];
        if (!question) throw new Error("There is nothing to ask.");
        const isRight = await connection.ask(question);
        const answered = performance.now();
        latencies.push(answered - now);
        now = answered;
        if (isRight) continue;
        failures++;
        // A dead connection fails at once, and would fail for ever without a pause.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }),
  );
  const { user, system } = process.cpuUsage(cpuStart);
  const elapsedMs = performance.now() - start;
  for (const connection of connections) connection.close();

  const sorted = Float64Array.from(latencies).sort();
  const quantile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return {
    seconds: elapsedMs / 1000,
    requestsPerSecond: ((latencies.length - failures) * 1000) / elapsedMs,
    failures,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    generatorCpu: (user + system) / 1000 / elapsedMs,
  };
}

process.on("message", async (order: LoadOrder) => {
  process.send?.(await generate(order));
});
// Ends with the bench, however that ends.
process.on("disconnect", () => process.exit());
