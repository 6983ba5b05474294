import type { TrackedRoomEvent } from "./event-id.ts";
import type { RoomSession } from "./room-session.ts";

/**
 * A session as an async iterator that can be ended while it waits. A bare generator can't be:
 * its `return` queues behind the event it waits for, which in a quiet room never comes.
 */
export function sessionStream(
  signal: AbortSignal,
  begin: () => RoomSession,
): AsyncIterableIterator<TrackedRoomEvent> {
  let session: RoomSession | undefined;
  let events: AsyncGenerator<TrackedRoomEvent, void, undefined> | undefined;

  function end(): void {
    session?.end();
    signal.removeEventListener("abort", end);
  }

  function start(): AsyncGenerator<TrackedRoomEvent, void, undefined> {
    session = begin();
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    return session.events();
  }

  return {
    async next() {
      events ??= start();
      try {
        const next = await events.next();
        if (next.done) end();
        return next;
      } catch (error) {
        end();
        throw error;
      }
    },
    async return() {
      end();
      await events?.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
