import type { TrackedRoomEvent } from "../event-id.ts";
import type { RoomLine, RoomMessage } from "../room-events.ts";

/** Returns a message as an event with a tracking id. All sessions of a room share the object. */
export function trackMessage(message: RoomMessage): TrackedRoomEvent {
  const { id } = message;
  return { id: String(id), event: { type: "message", ...message }, position: id };
}

/**
 * Returns the event of a message in its present state `line`. Returns `tracked` itself if it is
 * another message's, or not older than `line`.
 */
export function amended(tracked: TrackedRoomEvent, line: RoomLine | undefined): TrackedRoomEvent {
  const { event } = tracked;
  if (event.type !== "message" || event.id !== line?.id) return tracked;
  if ((line.revision ?? 0) <= (event.revision ?? 0)) return tracked;
  return trackMessage({ ...line, prev_id: event.prev_id });
}

interface BufferBounds {
  messages: number;
  chars: number;
}

/** Holds a room's newest messages without a gap: those after the id `floor`, up to `head`. */
export class MessageBuffer {
  #entries: TrackedRoomEvent[] = [];
  #chars = 0;
  #floor = 0;
  #head = 0;
  readonly #bounds: BufferBounds;

  constructor(bounds: BufferBounds) {
    this.#bounds = bounds;
  }

  get floor(): number {
    return this.#floor;
  }

  get head(): number {
    return this.#head;
  }

  /** Fills the empty buffer with the newest messages, at most as many as it may hold. */
  load(newest: readonly RoomMessage[]): void {
    if (newest.length >= this.#bounds.messages) this.#floor = newest[0]?.prev_id ?? 0;
    for (const message of newest) this.append(message);
  }

  /** Appends a message, which must be the direct successor of the head. */
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

  /** Replaces messages by their present state. Other messages than the buffer's are ignored. */
  amend(lines: readonly RoomLine[]): void {
    for (const line of lines) {
      const index = this.#indexAfter(line.id - 1);
      const former = this.#entries[index];
      if (former?.event.type !== "message") continue;
      const present = amended(former, line);
      this.#entries[index] = present;
      if (present !== former) this.#chars += line.content.length - former.event.content.length;
    }
  }

  /** Returns the first message after `cursor`, which must not be below the buffer's `floor`. */
  next(cursor: number): TrackedRoomEvent | undefined {
    return cursor >= this.#head ? undefined : this.#entries[this.#indexAfter(cursor)];
  }

  /** Returns the index of the first message after `cursor`, or else of the newest message. */
  #indexAfter(cursor: number): number {
    let low = 0;
    let high = this.#entries.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle]?.position ?? 0) > cursor) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Returns the cursor before the newest `count` messages; undefined if the buffer lacks some. */
  cursorBeforeNewest(count: number): number | undefined {
    const before = this.#entries.length - count - 1;
    if (before >= 0) return this.#entries[before]?.position;
    return before === -1 || this.#floor === 0 ? this.#floor : undefined;
  }
}
