import type { RoomEvent } from "@soul-hub/api";
import { jitter } from "./jitter.ts";
import { changeOf, eventsOf } from "./poll-room.ts";
import type { SubscribeOptions } from "./rooms-client.ts";

interface MissedChangesOptions extends SubscribeOptions {
  /** True while the client lacks a change that the hub has named. */
  lacksChanges: () => boolean;
  onEvent: (event: RoomEvent) => void;
}

/**
 * Reads the changes that a subscription did not deliver, with `rooms.sync`. A failed read is
 * repeated.
 */
export function createMissedChanges(options: MissedChangesOptions) {
  const { client, name, cursor, revision, timing, lacksChanges, onEvent } = options;
  const stopped = new AbortController();
  let isReading = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Reads the missed changes, if there are any. */
  async function read(): Promise<void> {
    if (isReading || stopped.signal.aborted || !lacksChanges()) return;
    isReading = true;
    clearTimeout(timer);
    try {
      while (lacksChanges()) await readOnce();
      failures = 0;
    } catch {
      // While there is no connection, the `sync` event after the reconnect starts the next read.
      if (!stopped.signal.aborted) timer = setTimeout(() => void read(), jitter(failures++));
    } finally {
      isReading = false;
    }
  }

  async function readOnce(): Promise<void> {
    const held = { last_id: cursor(), revision: revision() ?? 0 };
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(timing.timeoutMs)]);
    const response = await client.rooms.sync.query({ ...name, ...held }, { signal });
    if (stopped.signal.aborted) return;
    // The subscription delivers the new messages. A response with another log replaces the room's.
    const events = response.recovered ? changeOf(response, held) : eventsOf(response, held);
    for (const event of events) onEvent(event);
    if (lacksChanges() && revision() === held.revision) throw new Error("No change was returned.");
  }

  return {
    read,
    stop(): void {
      stopped.abort();
      clearTimeout(timer);
    },
  };
}
