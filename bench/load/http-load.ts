import type { Server } from "../processes/server.ts";
import { startWorker } from "../processes/worker.ts";
import { type Values, watched } from "../runner/measure.ts";
import type { Stage } from "../runner/stage.ts";
import type { Question } from "./http-connection.ts";
import type { loadGenerator } from "./load-generator.ts";

/** Puts load on a server for two seconds and returns the measured values. */
export type HttpLoad = (
  server: Server,
  load: { connections: number; questions: Question[] },
) => Promise<Values>;

/** Starts the load generator. A load fails if one of its requests fails. */
export const httpLoadOf = (stage: Stage): Promise<HttpLoad> =>
  stage.share("http load", async () => {
    const script = new URL("./load-generator.ts", import.meta.url);
    const generator = startWorker<typeof loadGenerator>(stage, script);
    return async ({ port, process }, { connections, questions }) => {
      const load = {
        port,
        questions,
        connections: stage.size(connections, Math.min(4, connections)),
        seconds: stage.size(2, 0.3),
      };
      const [values, use] = await watched(
        process,
        () => generator.remote.generate(load),
        generator.process,
      );
      return {
        ...values,
        ...use.columns,
        "CPU µs/request": (use.cpuMs * 1_000) / use.seconds / values["requests/s"],
      };
    };
  });
