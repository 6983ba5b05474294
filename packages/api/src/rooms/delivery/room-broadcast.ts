import type { TrackedRoomEvent } from "../event-id.ts";
import type { MessageBuffer } from "../log/message-buffer.ts";
import type { PresenceView } from "../presence/room-presence.ts";
import { presenceChange } from "../presence/room-presence.ts";
import type { RoomEvent } from "../room-events.ts";
import { BroadcastGroup, type GroupMember } from "./broadcast-group.ts";
import type { RoomListener } from "./room-listener.ts";

/** Delivers the events of one room to its sessions: to the broadcast group and to each other one. */
export class RoomBroadcast {
  readonly group: BroadcastGroup;
  /** Sessions outside the broadcast group. Each of them is offered every transient event. */
  readonly #detached = new Set<RoomListener>();
  readonly #track: (event: RoomEvent) => TrackedRoomEvent;
  #flushing: NodeJS.Immediate | undefined;

  /** @param track gives an event its tracking id, which follows the buffer's newest message */
  constructor(buffer: MessageBuffer, track: (event: RoomEvent) => TrackedRoomEvent) {
    this.group = new BroadcastGroup(buffer, () => this.scheduleFlush());
    this.#track = track;
  }

  add(session: RoomListener): void {
    this.#detached.add(session);
  }

  delete(session: RoomListener): void {
    this.#detached.delete(session);
  }

  /** Adds the session to the broadcast group. Returns false unless both are equally up to date. */
  joinGroup(session: RoomListener & GroupMember, cursor: number): boolean {
    const { view } = session;
    const joins = view !== undefined && this.group.add(session, cursor, view);
    if (joins) this.#detached.delete(session);
    return joins;
  }

  leaveGroup(session: RoomListener): void {
    this.#detached.add(session);
    this.scheduleFlush();
  }

  /** Schedules a flush, so that the events of one event-loop turn are sent together at its end. */
  scheduleFlush(): void {
    this.#flushing ??= setImmediate(() => this.#flush());
  }

  /** Sends scheduled events now, so that a response on the same socket does not overtake them. */
  flushNow(): void {
    if (!this.#flushing) return;
    clearImmediate(this.#flushing);
    this.#flush();
  }

  #flush(): void {
    this.#flushing = undefined;
    this.group.flush();
    for (const session of [...this.#detached]) session.flush?.();
  }

  /** Tells all sessions that the room's buffer holds new messages. */
  takeMessages(): void {
    this.group.takeMessages();
    for (const session of this.#detached) session.wake();
  }

  /** @param except id of a participant who does not receive the event */
  send(event: RoomEvent, except?: string): void {
    const tracked = this.#track(event);
    if (except !== undefined) this.group.removeParticipant(except);
    this.group.broadcast(tracked);
    for (const session of [...this.#detached]) {
      // A session that has no view yet is told of changes only: it may hold a changed message.
      const isListening = session.view !== undefined || event.type === "changed";
      if (isListening && session.lease.participant.id !== except) session.offer(tracked);
    }
  }

  sendPresence(view: PresenceView): void {
    // Sessions that know the same participants share one presence event. Each other session gets
    // its own event.
    const changes = new Map<PresenceView, TrackedRoomEvent | undefined>();
    const changeFrom = (known: PresenceView): TrackedRoomEvent | undefined => {
      if (!changes.has(known)) {
        const event = presenceChange(known, view);
        changes.set(known, event && this.#track(event));
      }
      return changes.get(known);
    };
    if (this.group.view) {
      const change = changeFrom(this.group.view);
      this.group.view = view;
      if (change) this.group.broadcast(change);
    }
    for (const session of [...this.#detached]) {
      if (!session.view || session.isLagging) continue;
      const change = changeFrom(session.view);
      session.view = view;
      if (change) session.offer(change);
    }
  }
}
