import type { Server } from "../processes/server.ts";
import { LOAD_CORE } from "../processes/start-process.ts";
import { startWorker } from "../processes/worker-process.ts";
import { type Values, watched } from "../runner/measure.ts";
import type { Stage } from "../runner/stage.ts";
import type { LoadOrder, LoadResult } from "./load-protocol.ts";

/** Puts load on a server and returns the measured values. */
export type HttpLoad = (
  server: Server,
  order: Pick<LoadOrder, "connections" | "questions">,
) => Promise<Values>;

/**
 * Starts the load generator. A slice of load takes two seconds.
 * @throws Error, from a slice of load, if a request fails
 */
export function startHttpLoad(stage: Stage): HttpLoad {
  const script = new URL("./load-generator.ts", import.meta.url);
  const generator = startWorker<LoadOrder, LoadResult>(stage, script, { core: LOAD_CORE });
  return async ({ port, process }, { connections, questions }) => {
    const order = {
      port,
      questions,
      connections: stage.size(connections, Math.min(4, connections)),
      seconds: stage.size(2, 0.3),
    };
    const [result, use] = await watched(process, () => generator.ask(order));
    if (result.failures > 0) throw new Error(`${result.failures} requests failed`);
    if (result.requestsPerSecond === 0) throw new Error("no request was answered");
    return {
      "requests/s": result.requestsPerSecond,
      "p50 ms": result.p50Ms,
      "p99 ms": result.p99Ms,
      "peak MiB": use.peakMiB,
      "server CPU %": use.cpuMs / use.seconds / 10,
      "CPU µs/request": (use.cpuMs * 1_000) / use.seconds / result.requestsPerSecond,
      "generator CPU %": result.generatorCpu * 100,
    };
  };
}
