import { HubError } from "../errors.ts";
import type { TrackedRoomEvent } from "./event-id.ts";
import type { EnterOptions, RoomSession } from "./room-session.ts";

/**
 * A session as an async iterator that can be ended while it waits. A generator can't be: its
 * `return` queues behind the event it waits for, which in a quiet room never comes.
 */
export class SessionStream implements AsyncIterableIterator<TrackedRoomEvent> {
  readonly #options: EnterOptions;
  readonly #begin: () => RoomSession;
  #session: RoomSession | undefined;
  #isEnded = false;

  constructor(options: EnterOptions, begin: () => RoomSession) {
    this.#options = options;
    this.#begin = begin;
  }

  /** The signal has aborted. As a method: a listener of its own for each would take memory. */
  handleEvent(): void {
    this.#end();
  }

  #end(): void {
    const { outlet, signal } = this.#options;
    this.#isEnded = true;
    // Whoever is sent away is told why.
    const reason = signal?.reason instanceof HubError ? signal.reason : undefined;
    if (this.#session) this.#session.end(reason);
    else outlet?.end();
    signal?.removeEventListener("abort", this);
  }

  #start(): RoomSession {
    const { signal } = this.#options;
    this.#session = this.#begin();
    signal?.addEventListener("abort", this, { once: true });
    // Also by a `return` from before it had begun: nobody would end it later.
    if (this.#isEnded || signal?.aborted) this.#end();
    return this.#session;
  }

  async next(): Promise<IteratorResult<TrackedRoomEvent, undefined>> {
    const session = this.#session ?? this.#start();
    try {
      const value = await session.next();
      if (value) return { done: false, value };
      this.#end();
      return { done: true, value };
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
