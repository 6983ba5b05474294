import type { TrackedRoomEvent } from "../event-id.ts";
import type { MessageBuffer } from "../log/message-buffer.ts";
import type { Lease } from "../ports/presence-store.ts";
import type { PresenceView } from "../presence/room-presence.ts";
import { EventBatch } from "./event-batch.ts";

/** A session in a broadcast group: it is up to date and shares the group's cursor. */
export interface GroupMember {
  readonly lease: Lease;
  /**
   * Writes the events of one turn to the client. Returns false if the client is too slow for the
   * group.
   */
  push(batch: EventBatch): boolean;
  /**
   * Called when the session has left the broadcast group. The session then continues with a cursor
   * of its own.
   * @param cursor id of the last message that the session was sent
   * @param transient events that the group has not sent yet
   * @param view the participants that the session knows of after those events
   */
  detach(cursor: number, transient: TrackedRoomEvent[], view: PresenceView | undefined): void;
}

/**
 * The up-to-date sessions of a room, with one cursor for all. Events of one turn of the event loop
 * are encoded once and sent in one write per member (0017).
 */
export class BroadcastGroup {
  /** The participants whom the group's members know as present. */
  view: PresenceView | undefined;
  readonly #members = new Set<GroupMember>();
  readonly #buffer: MessageBuffer;
  readonly #scheduleFlush: () => void;
  #pending: TrackedRoomEvent[] = [];
  /** Id of the newest message that is pending or sent. */
  #cursor = 0;
  /** Id of the newest message that the members were sent. */
  #sentCursor = 0;

  /** @param scheduleFlush calls `flush` at the end of the current turn of the event loop */
  constructor(buffer: MessageBuffer, scheduleFlush: () => void) {
    this.#buffer = buffer;
    this.#scheduleFlush = scheduleFlush;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /**
   * Adds a session if its cursor and view equal the group's and no event is pending. Returns false
   * if the session cannot join yet.
   */
  add(member: GroupMember, cursor: number, view: PresenceView): boolean {
    if (this.isEmpty) {
      this.view = view;
      this.#cursor = cursor;
      this.#sentCursor = cursor;
    }
    // The session has already sent the pending events to its client. If it joined now, the group
    // would send them again.
    if (this.#pending.length > 0) return false;
    if (this.#cursor !== cursor || this.view !== view) return false;
    this.#members.add(member);
    return true;
  }

  remove(member: GroupMember): void {
    if (!this.#members.delete(member)) return;
    const transient = this.#pending.filter(({ event }) => event.type !== "message");
    member.detach(this.#sentCursor, transient, this.view);
    if (this.isEmpty) this.#pending = [];
  }

  removeParticipant(id: string): void {
    for (const member of this.#members) {
      if (member.lease.participant.id === id) this.remove(member);
    }
  }

  /** Adds the messages that are new in the message buffer to the pending events. */
  takeMessages(): void {
    if (this.isEmpty) return;
    if (this.#cursor < this.#buffer.floor) {
      // The message buffer no longer contains all messages after the group's cursor. Each session
      // reads them from the log instead.
      for (const member of this.#members) this.remove(member);
      return;
    }
    for (let next = this.#buffer.next(this.#cursor); next; next = this.#buffer.next(this.#cursor)) {
      this.#cursor = next.position;
      this.#pending.push(next);
    }
    this.#scheduleFlush();
  }

  broadcast(event: TrackedRoomEvent): void {
    if (this.isEmpty) return;
    this.#pending.push(event);
    this.#scheduleFlush();
  }

  flush(): void {
    if (this.#pending.length === 0) return;
    const batch = new EventBatch(this.#pending);
    for (const member of this.#members) if (!member.push(batch)) this.remove(member);
    this.#pending = [];
    this.#sentCursor = this.#cursor;
  }
}
