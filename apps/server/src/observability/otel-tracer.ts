import {
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  type Tracer as SpanMaker,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import * as sdk from "@opentelemetry/sdk-trace";
import type { Span, SpanOptions, Tracer } from "@soul-hub/api";
import type { Logger } from "pino";
import type { Environment } from "../env.ts";
import { SpanQueue } from "./span-queue.ts";

export interface Tracing {
  tracer: Tracer;
  droppedSpans(): number;
  /** Exports the remaining spans. Waits for the collector at most a second. */
  close(): Promise<void>;
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const;
/** The header of W3C Trace Context, version 00. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const CLOSE_MS = 1_000;

/**
 * Exports traces with OTLP over HTTP as JSON (0070). This file is loaded only if
 * OTEL_EXPORTER_OTLP_ENDPOINT is set. The libraries read OTEL_EXPORTER_OTLP_HEADERS, `_TIMEOUT`,
 * `_COMPRESSION`, the certificates and OTEL_RESOURCE_ATTRIBUTES themselves.
 */
export function startTracing(env: Environment, version: string, log: Logger): Tracing {
  const url = `${env.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, "")}/v1/traces`;
  const queue = new SpanQueue(new OTLPTraceExporter({ url }), log);
  const provider = new sdk.TracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
      .merge(
        resourceFromAttributes({
          "service.name": env.OTEL_SERVICE_NAME,
          "service.version": version,
        }),
      ),
    sampler: samplerOf(env),
    spanProcessors: [queue],
  });
  const maker = provider.getTracer("soul-hub", version);
  return {
    tracer: {
      start: (name, { traceparent = "", ...given }) =>
        new HubSpan(maker, name, given, readTraceparent(traceparent)),
    },
    droppedSpans: () => queue.dropped,
    async close() {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, CLOSE_MS);
      await Promise.race([provider.shutdown().catch(() => undefined), late.promise]);
      clearTimeout(timer);
    },
  };
}

function samplerOf({ OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG }: Environment): sdk.Sampler {
  const [, parentBased, kind] = /^(parentbased_)?(.+)$/.exec(OTEL_TRACES_SAMPLER) ?? [];
  const root =
    kind === "always_on"
      ? new sdk.AlwaysOnSampler()
      : new sdk.TraceIdRatioBasedSampler(kind === "always_off" ? 0 : OTEL_TRACES_SAMPLER_ARG);
  return parentBased ? new sdk.ParentBasedSampler({ root }) : root;
}

function readTraceparent(text: string): SpanContext | undefined {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(text) ?? [];
  if (!flags) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** A span of the hub's port. Its parent is explicit, so OpenTelemetry keeps no context. */
class HubSpan implements Span {
  readonly #maker: SpanMaker;
  readonly #span: OtelSpan;

  constructor(maker: SpanMaker, name: string, options: SpanOptions, parent?: SpanContext) {
    const { kind = "internal", attributes = {}, links = [] } = options;
    const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    const linked = links.flatMap((link) =>
      link instanceof HubSpan ? { context: link.#span.spanContext() } : [],
    );
    this.#maker = maker;
    this.#span = maker.startSpan(name, { kind: KINDS[kind], attributes, links: linked }, context);
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get isRecording(): boolean {
    return this.#span.isRecording();
  }

  child(name: string, options: SpanOptions): Span {
    return new HubSpan(this.#maker, name, options, this.#span.spanContext());
  }

  set(attributes: Parameters<Span["set"]>[0]): void {
    this.#span.setAttributes(attributes);
  }

  end(failure?: Parameters<Span["end"]>[0]): void {
    if (failure) this.#span.setAttribute("error.type", failure.type);
    if (failure?.isFault) this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.end();
  }
}
