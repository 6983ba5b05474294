/** The attributes of a span: names, codes and counts, never texts, tokens or parameters (0070). */
export type SpanAttributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  kind?: "server" | "client" | "internal";
  attributes?: SpanAttributes;
  /** Spans that this one belongs to without being their child. */
  links?: readonly Span[];
}

/** The failure that a span ends with. */
export interface SpanFailure {
  /** The code of the failure. */
  type: string;
  /** False for a mistake of the caller, which raises no alert. */
  isFault: boolean;
}

/** One timed piece of a trace. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** False if the trace is not sampled, and after `end`. Such a span has no children. */
  readonly isRecording: boolean;
  child(name: string, options: SpanOptions): Span;
  set(attributes: SpanAttributes): void;
  end(failure?: SpanFailure): void;
}

/** The port through which traces leave the hub. A hub without one traces nothing (0070). */
export interface Tracer {
  /**
   * Starts a trace.
   * @param traceparent the header of W3C Trace Context, from a trusted proxy only; the span then
   *   continues the proxy's trace
   */
  start(name: string, options: SpanOptions & { traceparent?: string | undefined }): Span;
}

declare module "../context.ts" {
  interface Hub {
    /** Null without OTEL_EXPORTER_OTLP_ENDPOINT. */
    tracer: Tracer | null;
  }
}
