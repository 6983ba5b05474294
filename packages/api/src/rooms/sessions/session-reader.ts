import type { TrackedRoomEvent } from "../event-id.ts";
import { amended, trackMessage } from "../log/message-buffer.ts";
import type { Room } from "../room.ts";
import type { RoomLine, RoomMessage } from "../room-events.ts";

/** The read position of one session: the next message and the next transient event. */
export class SessionReader {
  readonly #room: Room;
  /** The id of the newest message that the session has read. */
  #cursor = 0;
  /** Messages older than the room's buffer, read from the log for this session. */
  #page: TrackedRoomEvent[] = [];
  #transient: TrackedRoomEvent[] = [];
  /** True if a `changed` event was dropped, so that the client's messages may be outdated. */
  lacksChange = false;

  constructor(room: Room) {
    this.#room = room;
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** True if the next message is older than the room's buffer: `readPage` must read it first. */
  get isBelowBuffer(): boolean {
    return this.#cursor < this.#room.buffer.floor;
  }

  /**
   * Sets the session's cursor for a client that holds the messages up to `lastId`.
   * @returns false if the client must discard the messages that it holds
   */
  async findStart(lastId: number | undefined): Promise<boolean> {
    const { buffer, key, ports } = this.#room;
    const max = ports.limits.MISSED_MESSAGES_MAX;
    if (lastId !== undefined) {
      // `lastId` is wrong, or this server lacks that message. A read of the log shows which.
      if (lastId > buffer.head) await this.#room.log.readUpTo(lastId);
      this.#cursor = lastId;
      if (lastId <= buffer.head && !(await this.#isOfFormerLog(lastId))) {
        if (lastId >= buffer.floor) return true;
        if ((await ports.log.countAfter(key, lastId, max + 1)) <= max) return true;
      }
    }
    const newest = ports.limits.NEWEST_MESSAGES;
    const before = buffer.cursorBeforeNewest(newest);
    if (before === undefined) {
      const messages = await ports.log.newest(key, newest);
      await this.#usePage(messages);
      this.#cursor = messages[0]?.prev_id ?? buffer.head;
    } else {
      this.#cursor = before;
    }
    return lastId === undefined;
  }

  /** Reports whether an id is older than the room's first message: that of a deleted log (0042). */
  async #isOfFormerLog(id: number): Promise<boolean> {
    const { buffer, key, ports } = this.#room;
    if (id === 0 || id >= buffer.head) return false;
    if (id < buffer.floor) return (await ports.log.after(key, id, 1))[0]?.prev_id === 0;
    const next = buffer.next(id)?.event;
    return next?.type === "message" && next.prev_id === 0;
  }

  /** Takes the session's next event in order. Returns undefined if that event is not in memory. */
  take(): TrackedRoomEvent | undefined {
    const next = this.#transient[0];
    if (next && next.position <= this.#cursor) return this.#transient.shift();
    const message =
      this.#page.shift() ?? (this.isBelowBuffer ? undefined : this.#room.buffer.next(this.#cursor));
    if (message) this.#cursor = message.position;
    return message;
  }

  /** Reads the session's next messages from the log. */
  async readPage(): Promise<void> {
    const { buffer, key, ports } = this.#room;
    const { floor } = buffer;
    const messages = await ports.log.after(key, this.#cursor, ports.limits.PAGE_MESSAGES);
    await this.#usePage(messages);
    // The log no longer holds messages older than the room's buffer, so the session skips them.
    if (messages.length === 0) this.#cursor = Math.max(this.#cursor, floor);
  }

  /**
   * Keeps messages of the log for `take`, and waits until the room's buffer has caught up with
   * them. The bus may have lost some of them. The next transient event would then get a tracking id
   * before the session's cursor.
   */
  async #usePage(messages: readonly RoomMessage[]): Promise<void> {
    this.#page = messages.map(trackMessage);
    await this.#room.log.readUpTo(messages.at(-1)?.id ?? 0);
  }

  /** Continues after the message with the id `cursor`, which the broadcast group sent. */
  resume(cursor: number, transient: TrackedRoomEvent[]): void {
    this.#cursor = cursor;
    this.#transient = transient;
  }

  /** Queues a transient event. @returns the number of queued transient events */
  enqueue(event: TrackedRoomEvent): number {
    return this.#transient.push(event);
  }

  /** Brings the messages that the session has read and not yet sent to their present state. */
  amend(lines: readonly RoomLine[]): void {
    if (this.#page.length === 0) return;
    const byId = new Map(lines.map((line) => [line.id, line]));
    this.#page = this.#page.map((message) => amended(message, byId.get(message.position)));
  }

  /**
   * Drops queued typing events, deltas and changes. Other queued events remain, because the client
   * could not repair their loss.
   * @returns the number of transient events left
   */
  dropDroppable(): number {
    this.lacksChange ||= this.#transient.some(({ event }) => event.type === "changed");
    this.#transient = this.#transient.filter((event) => !isDroppable(event));
    return this.#transient.length;
  }

  clear(): void {
    this.#transient = [];
    this.#page = [];
  }
}

/**
 * True if a slow client may miss the event. Missed deltas are part of the reply's message, and a
 * client that is told of a missed change asks for it.
 */
export const isDroppable = ({ event }: TrackedRoomEvent): boolean =>
  event.type === "reply-delta" || event.type === "typing" || event.type === "changed";
