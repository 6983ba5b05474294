import type { Reply } from "./worker-process.ts";

/** Executes orders of the benchmark, one at a time, in a process of `startWorker`. */
export function executeOrders<Order>(execute: (order: Order) => unknown): void {
  process.on("message", async (order: Order) => {
    try {
      report(await execute(order));
    } catch (error) {
      send({ error: error instanceof Error ? error.message : String(error) });
    }
  });
  // The process exits when the benchmark ends or crashes.
  process.on("disconnect", () => process.exit());
}

/** Sends an answer to the benchmark. */
export const report = (answer: unknown) => send({ answer });

const send = (reply: Reply<unknown>) => process.send?.(reply);

/** Measures the share of one core that this process uses from now on. */
export function cpuWatch(): () => number {
  const cpu = process.cpuUsage();
  const start = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / 1_000 / (performance.now() - start);
  };
}
