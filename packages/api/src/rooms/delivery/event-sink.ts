import type { EventBatch } from "./event-batch.ts";

/** The destination of a session's events: a socket's subscription or an SSE stream's queue. */
export interface EventSink {
  /**
   * The text before each event in a frame. Sinks with equal prefixes share their encoded frames.
   */
  readonly framePrefix: string;
  write(batch: EventBatch): void;
  /** Bytes that were written and that the client has not read yet. */
  readonly bufferedAmount: number;
  /** Calls `listener` once, when `bufferedAmount` reaches 0. */
  onDrain(listener: () => void): void;
  /**
   * The broadcast whose events the sink gets. Before it sends a response, the transport calls its
   * `flushNow`, so that the response does not overtake earlier events.
   */
  source: { flushNow(): void } | undefined;
  /** Ends the subscription: later writes are ignored. */
  end(): void;
}
