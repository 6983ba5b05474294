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
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Span, SpanOptions, Tracer } from "@soul-hub/api";
import { SpanQueue } from "./span-queue.ts";

/** The values of OTEL_TRACES_SAMPLER that OpenTelemetry defines. */
export type SamplerName =
  | "always_on"
  | "always_off"
  | "traceidratio"
  | "parentbased_always_on"
  | "parentbased_always_off"
  | "parentbased_traceidratio";

interface TracingOptions {
  /** The URL of the collector, without `/v1/traces`. */
  endpoint: string;
  serviceName: string;
  version: string;
  sampler: SamplerName;
  /** The share of the traces that a ratio samples, from 0 to 1. */
  ratio: number;
  /** Called when the first export fails, and when one succeeds again. */
  onOutage: (error: unknown) => void;
  onRecovery: () => void;
}

export interface Tracing {
  tracer: Tracer;
  droppedSpans(): number;
  /** Exports what is left. Waits for the collector at most a second. */
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
export function startTracing(options: TracingOptions): Tracing {
  const url = `${options.endpoint.replace(/\/+$/, "")}/v1/traces`;
  const queue = new SpanQueue(new OTLPTraceExporter({ url }), options);
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
      .merge(
        resourceFromAttributes({
          "service.name": options.serviceName,
          "service.version": options.version,
        }),
      ),
    sampler: samplerOf(options.sampler, options.ratio),
    spanProcessors: [queue],
  });
  const maker = provider.getTracer("soul-hub", options.version);
  return {
    tracer: {
      start(name, { traceparent, ...given }) {
        const parent = traceparent === undefined ? undefined : readTraceparent(traceparent);
        return new HubSpan(maker, startOtelSpan(maker, name, given, parent));
      },
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

function samplerOf(name: SamplerName, ratio: number): Sampler {
  const root = name.endsWith("always_on")
    ? new AlwaysOnSampler()
    : name.endsWith("always_off")
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio);
  return name.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

function readTraceparent(text: string): SpanContext | undefined {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(text) ?? [];
  if (!flags) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

function startOtelSpan(
  maker: SpanMaker,
  name: string,
  { kind = "internal", attributes = {}, links = [] }: SpanOptions,
  parent: SpanContext | undefined,
): OtelSpan {
  const context = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
  const linked = links.flatMap((link) =>
    link instanceof HubSpan ? { context: link.otel.spanContext() } : [],
  );
  return maker.startSpan(name, { kind: KINDS[kind], attributes, links: linked }, context);
}

/** A span of the hub's port. Its parent is explicit, so OpenTelemetry keeps no context. */
class HubSpan implements Span {
  readonly otel: OtelSpan;
  readonly traceId: string;
  readonly #maker: SpanMaker;

  constructor(maker: SpanMaker, otel: OtelSpan) {
    this.#maker = maker;
    this.otel = otel;
    this.traceId = otel.spanContext().traceId;
  }

  get isRecording(): boolean {
    return this.otel.isRecording();
  }

  child(name: string, options: SpanOptions): Span {
    const child = startOtelSpan(this.#maker, name, options, this.otel.spanContext());
    return new HubSpan(this.#maker, child);
  }

  set(attributes: Parameters<Span["set"]>[0]): void {
    this.otel.setAttributes(attributes);
  }

  end(failure?: Parameters<Span["end"]>[0]): void {
    if (failure) this.otel.setAttribute("error.type", failure.type);
    if (failure?.isFault) this.otel.setStatus({ code: SpanStatusCode.ERROR });
    this.otel.end();
  }
}
