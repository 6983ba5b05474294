import type { TrackedRoomEvent } from "./event-id.ts";
import type { RoomMessage } from "./room-events.ts";

/** A message as all sessions of the room share it. */
export function trackMessage(message: RoomMessage): TrackedRoomEvent {
  const { id, prev_id, role, sender_name, content } = message;
  const event = { type: "message" as const, id, prev_id, role, sender_name, content };
  return { id: String(id), event, position: id };
}

interface RingBounds {
  messages: number;
  chars: number;
}

/** The newest messages of a room, without a hole: everything after `floor` up to `head`. */
export class MessageRing {
  #entries: TrackedRoomEvent[] = [];
  #chars = 0;
  #floor = 0;
  #head = 0;
  readonly #bounds: RingBounds;

  constructor(bounds: RingBounds) {
    this.#bounds = bounds;
  }

  get floor(): number {
    return this.#floor;
  }

  get head(): number {
    return this.#head;
  }

  /** The first content, as read from the log with the ring's own limit. */
  load(newest: readonly RoomMessage[]): void {
    if (newest.length >= this.#bounds.messages) this.#floor = newest[0]?.prev_id ?? 0;
    for (const message of newest) this.append(message);
  }

  /** The caller vouches that nothing lies between the head and this message. */
  append(message: RoomMessage): void {
    this.#head = message.id;
    this.#chars += message.content.length;
    this.#entries.push(trackMessage(message));
    while (this.#entries.length > this.#bounds.messages || this.#chars > this.#bounds.chars) {
      const dropped = this.#entries.shift();
      if (dropped?.event.type !== "message") break;
      this.#chars -= dropped.event.content.length;
      this.#floor = dropped.position;
    }
  }

  /** The message after `cursor`, which must not lie below the floor. */
  next(cursor: number): TrackedRoomEvent | undefined {
    if (cursor >= this.#head) return undefined;
    let low = 0;
    let high = this.#entries.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle]?.position ?? 0) > cursor) high = middle;
      else low = middle + 1;
    }
    return this.#entries[low];
  }

  /** The cursor before the newest `count` messages; undefined when the ring is too short to say. */
  cursorBeforeNewest(count: number): number | undefined {
    const before = this.#entries.length - count - 1;
    if (before >= 0) return this.#entries[before]?.position;
    return before === -1 || this.#floor === 0 ? this.#floor : undefined;
  }
}
