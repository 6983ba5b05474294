import type { TrackedRoomEvent } from "./event-id.ts";
import { trackMessage } from "./message-ring.ts";
import type { Room } from "./room.ts";
import type { RoomMessage } from "./room-events.ts";

/** Where one session stands in its room: which message, and which passing event, comes next. */
export class SessionReader {
  readonly #room: Room;
  /** The newest message handed out. */
  #cursor = 0;
  /** Messages older than the ring, read for this session alone. */
  #page: TrackedRoomEvent[] = [];
  #passing: TrackedRoomEvent[] = [];

  constructor(room: Room) {
    this.#room = room;
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** What comes next is no longer in memory: `readPage` first. */
  get isBelowRing(): boolean {
    return this.#cursor < this.#room.ring.floor;
  }

  /** Where to begin. False: the client's log has to start anew. */
  async findStart(lastId: number | undefined): Promise<boolean> {
    const { ring, key, ports } = this.#room;
    const max = ports.limits.MISSED_MESSAGES_MAX;
    if (lastId !== undefined) {
      // Beyond the head, or is this server behind? The log says.
      if (lastId > ring.head) await this.#room.log.readUpTo(lastId);
      this.#cursor = lastId;
      if (lastId <= ring.head) {
        if (lastId >= ring.floor) return true;
        if ((await ports.log.countAfter(key, lastId, max + 1)) <= max) return true;
      }
    }
    const newest = ports.limits.NEWEST_MESSAGES;
    const before = ring.cursorBeforeNewest(newest);
    if (before === undefined) {
      const messages = await ports.log.newest(key, newest);
      await this.#usePage(messages);
      this.#cursor = messages[0]?.prev_id ?? ring.head;
    } else {
      this.#cursor = before;
    }
    return lastId === undefined;
  }

  take(): TrackedRoomEvent | undefined {
    const passing = this.#passing[0];
    if (passing && passing.position <= this.#cursor) return this.#passing.shift();
    const message =
      this.#page.shift() ?? (this.isBelowRing ? undefined : this.#room.ring.next(this.#cursor));
    if (message) this.#cursor = message.position;
    return message;
  }

  async readPage(): Promise<void> {
    const { ring, key, ports } = this.#room;
    const { floor } = ring;
    const messages = await ports.log.after(key, this.#cursor, ports.limits.PAGE_MESSAGES);
    await this.#usePage(messages);
    // Nothing where the ring once had something: those messages are gone for good.
    if (messages.length === 0) this.#cursor = Math.max(this.#cursor, floor);
  }

  /**
   * The log may be ahead of the room, when the bus lost something. The room catches up first:
   * with a cursor beyond its head, the next passing event's tracking id would lead back.
   */
  async #usePage(messages: readonly RoomMessage[]): Promise<void> {
    this.#page = messages.map(trackMessage);
    await this.#room.log.readUpTo(messages.at(-1)?.id ?? 0);
  }

  /** Goes on behind a message that the session was sent by other means. */
  goOnBehind(cursor: number, passing: TrackedRoomEvent[]): void {
    this.#cursor = cursor;
    this.#passing = passing;
  }

  /** @returns how many passing events now wait */
  hold(event: TrackedRoomEvent): number {
    return this.#passing.push(event);
  }

  /** A slow reader may lose what only passes, never what changes its picture of the room. */
  shed(): number {
    this.#passing = this.#passing.filter((event) => !isDroppable(event));
    return this.#passing.length;
  }

  clear(): void {
    this.#passing = [];
    this.#page = [];
  }
}

/** A reader who missed a delta waits for the messages (decisions §6). */
export const isDroppable = ({ event }: TrackedRoomEvent): boolean =>
  event.type === "reply-delta" || event.type === "typing";
