import type { Participant, Present } from "../ports/presence-store.ts";
import type { RoomPorts } from "../ports/room-ports.ts";
import type { PresenceEvent, PresentParticipant } from "../room-events.ts";
import type { Cancel } from "../room-timers.ts";

/** The participants that a client knows of, by their id. */
export type PresenceView = ReadonlyMap<string, Participant>;

/**
 * Returns the event that turns one view of a client into another; undefined if both are equal. A
 * participant with another name leaves under the former one and joins under the new one.
 */
export function presenceChange(from: PresenceView, to: PresenceView): PresenceEvent | undefined {
  const missing = (view: PresenceView, others: PresenceView) =>
    [...view.values()]
      .filter(({ id, name }) => others.get(id)?.name !== name)
      .map(({ name }) => name);
  const joined = missing(to, from);
  const left = missing(from, to);
  if (joined.length === 0 && left.length === 0) return undefined;
  return { type: "presence", online_count: to.size, joined, left };
}

/**
 * Returns a view in the shape of the `sync` event and of chat-sync.
 * @param head id of the room's newest message, for participants whose lease lacks `since_id`
 */
export function presentParticipants(
  view: PresenceView,
  head: number,
): { online_count: number; participants: PresentParticipant[] } {
  const participants = [...view.values()].map(({ name, kind, since_id = head }) => ({
    name,
    kind,
    since_id,
  }));
  return { online_count: view.size, participants };
}

interface PresenceOptions {
  roomKey: string;
  ports: RoomPorts;
  /** Returns whether the room has listeners. Without any, its presence is not read. */
  hasListeners: () => boolean;
  onView: (view: PresenceView) => void;
}

/** Watches the presence of one room. Changes within PRESENCE_BATCH_MS become one event. */
export class RoomPresence {
  readonly #options: PresenceOptions;
  #cancel: Cancel | undefined;
  #dueAt = 0;
  #isReading = false;

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** Schedules a read of the presence, which may have changed, after PRESENCE_BATCH_MS. */
  touch(): void {
    this.#readIn(this.#batchMs);
  }

  list(): Promise<Present> {
    const { ports, roomKey } = this.#options;
    return ports.presence.list(roomKey);
  }

  get #batchMs(): number {
    return this.#options.ports.limits.PRESENCE_BATCH_MS;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #readIn(ms: number): void {
    const { ports, hasListeners } = this.#options;
    const { timers } = ports;
    const dueAt = timers.now() + ms;
    if (!hasListeners() || (this.#cancel && this.#dueAt <= dueAt)) return;
    this.stop();
    this.#dueAt = dueAt;
    this.#cancel = timers.after(ms, () => {
      this.#cancel = undefined;
      void this.#read();
    });
  }

  async #read(): Promise<void> {
    // Only one read runs at a time, since two concurrent reads could finish in the wrong order.
    if (this.#isReading) return this.touch();
    this.#isReading = true;
    const { ports, hasListeners, onView } = this.#options;
    try {
      const { participants, nextExpiryMs } = await this.list();
      if (!hasListeners()) return;
      onView(participants);
      // The next read follows PRESENCE_BATCH_MS after the next expiry. All participants of a
      // crashed server thus leave in one event.
      if (nextExpiryMs !== undefined) this.#readIn(nextExpiryMs + this.#batchMs);
    } catch (error) {
      ports.onError(error, "reading the presence of a room");
    } finally {
      this.#isReading = false;
    }
  }
}
