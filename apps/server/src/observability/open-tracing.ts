import type { Logger } from "pino";
import type { Environment } from "../env.ts";
import type { Tracing } from "./otel-tracer.ts";

/** Whether the environment asks for traces. */
export const isTraced = (env: Environment): boolean =>
  env.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined && !env.OTEL_SDK_DISABLED;

/** Starts tracing. Loads nothing of OpenTelemetry unless the environment asks for traces (0070). */
export async function openTracing(
  env: Environment,
  version: string,
  log: Logger,
): Promise<Tracing | null> {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined || !isTraced(env)) return null;
  const { startTracing } = await import("./otel-tracer.ts");
  return startTracing({
    endpoint,
    serviceName: env.OTEL_SERVICE_NAME,
    version,
    sampler: env.OTEL_TRACES_SAMPLER,
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
    onOutage: (err) => log.warn({ err }, "the collector of traces takes no spans"),
    onRecovery: () => log.info("the collector of traces takes spans again"),
  });
}
