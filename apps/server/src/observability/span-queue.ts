import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace";

/** Spans that wait for the collector. Further ones are dropped (0070). */
const MAX_WAITING = 2_048;

interface Listeners {
  onOutage: (error: unknown) => void;
  onRecovery: () => void;
}

/**
 * OpenTelemetry's batch processor, with a count of the spans that it drops: those beyond its queue
 * and those that the collector did not take. It counts neither itself.
 */
export class SpanQueue implements SpanProcessor {
  dropped = 0;
  readonly #batches: BatchSpanProcessor;
  /** The spans in the processor's queue, which it does not tell. */
  #waiting = 0;
  #isAway = false;

  constructor(exporter: SpanExporter, { onOutage, onRecovery }: Listeners) {
    const counting: SpanExporter = {
      export: (spans, done) => {
        this.#waiting -= spans.length;
        exporter.export(spans, (result) => {
          const failed = result.error !== undefined || result.code !== 0;
          if (failed) this.dropped += spans.length;
          if (failed && !this.#isAway) onOutage(result.error);
          if (!failed && this.#isAway) onRecovery();
          this.#isAway = failed;
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    };
    this.#batches = new BatchSpanProcessor({ exporter: counting, maxQueueSize: MAX_WAITING });
  }

  onStart(): void {}

  onEnd(span: ReadableSpan): void {
    if (this.#waiting >= MAX_WAITING) {
      this.dropped += 1;
      return;
    }
    this.#waiting += 1;
    this.#batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.#batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#batches.shutdown();
  }
}
