import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "pino";

/** Spans that wait for the collector. Further ones are dropped (0070). */
const MAX_WAITING = 2_048;

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

  constructor(exporter: SpanExporter, log: Logger) {
    const counting: SpanExporter = {
      export: (spans, done) => {
        this.#waiting -= spans.length;
        exporter.export(spans, (result) => {
          const isAway = result.code !== 0;
          if (isAway) this.dropped += spans.length;
          if (isAway && !this.#isAway) {
            log.warn({ err: result.error }, "the collector of traces takes no spans");
          } else if (!isAway && this.#isAway) log.info("the collector of traces takes spans again");
          this.#isAway = isAway;
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
