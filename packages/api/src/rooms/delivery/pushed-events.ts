import type { EventSink } from "./event-sink.ts";

/**
 * The events of a subscription. The WebSocket transport has them pushed into a sink; over SSE tRPC
 * iterates over them.
 */
export interface PushedEvents {
  /** @param onEnd called once when the subscription ends, with the error if it failed */
  push(sink: EventSink, onEnd: (failure?: unknown) => void): void;
  /** Ends the subscription. After a `stop`, `push` must not be called. */
  stop(): void;
}
