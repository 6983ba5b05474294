import type { TrackedRoomEvent } from "../event-id.ts";
import type { EventBatch } from "./event-batch.ts";
import type { EventSink } from "./event-sink.ts";

/** An event sink that a transport such as SSE iterates over. It can be iterated over only once. */
export class EventQueue implements EventSink, AsyncIterable<TrackedRoomEvent> {
  readonly framePrefix = "";
  source: EventSink["source"];
  bufferedAmount = 0;
  #events: TrackedRoomEvent[] = [];
  #drainListeners: (() => void)[] = [];
  #isEnded = false;
  #failure: unknown;
  #wake: (() => void) | undefined;

  write({ events }: EventBatch): void {
    this.#events.push(...events);
    for (const { event } of events) this.bufferedAmount += JSON.stringify(event).length;
    this.#wake?.();
  }

  onDrain(listener: () => void): void {
    this.#drainListeners.push(listener);
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  /** Ends the iteration. The iterator throws `failure` if one is given. */
  close(failure?: unknown): void {
    this.#failure = failure;
    this.end();
  }

  /** Yields events until the queue is ended. Events that are still queued then are dropped. */
  async *[Symbol.asyncIterator](): AsyncGenerator<TrackedRoomEvent, undefined> {
    while (!this.#isEnded) {
      const event = this.#events.shift();
      if (event) {
        yield event;
        continue;
      }
      this.bufferedAmount = 0;
      for (const listener of this.#drainListeners.splice(0)) listener();
      if (this.#events.length > 0 || this.#isEnded) continue;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
    return undefined;
  }
}
