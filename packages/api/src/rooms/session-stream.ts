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

  constructor(options: EnterOptions, begin: () => RoomSession) {
    this.#options = options;
    this.#begin = begin;
  }

  readonly #end = (): void => {
    const { outlet, signal } = this.#options;
    // Whoever is sent away is told why.
    const reason = signal.reason instanceof HubError ? signal.reason : undefined;
    if (this.#session) this.#session.end(reason);
    else outlet?.end();
    signal.removeEventListener("abort", this.#end);
  };

  #start(): RoomSession {
    const { signal } = this.#options;
    this.#session = this.#begin();
    signal.addEventListener("abort", this.#end, { once: true });
    if (signal.aborted) this.#end();
    return this.#session;
  }

  async next(): Promise<IteratorResult<TrackedRoomEvent, undefined>> {
    const { outlet } = this.#options;
    const session = this.#session ?? this.#start();
    try {
      const takesFrames = outlet?.wording !== undefined;
      const value = takesFrames ? await session.pushTo(outlet) : await session.next();
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
