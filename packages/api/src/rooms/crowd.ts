import { EventBatch } from "./event-batch.ts";
import type { TrackedRoomEvent } from "./event-id.ts";
import type { MessageRing } from "./message-ring.ts";
import type { PresenceView } from "./room-presence.ts";

/** A session that stands where the crowd stands, and gets what the crowd gets. */
export interface CrowdMember {
  readonly participantId: string;
  /** Takes what the crowd was told in one turn. False: it can't keep up and has to stand apart. */
  push(batch: EventBatch): boolean;
  /**
   * It stands alone again: behind the message `cursor`, with these passing events to come, after
   * which it knows `view` to be there.
   */
  standApart(cursor: number, passing: TrackedRoomEvent[], view: PresenceView | undefined): void;
}

/**
 * The sessions of a room that are up to date: as one reader, with one cursor. What it is told in
 * one turn of the event loop goes out together, encoded once, in one write per member.
 */
export class Crowd {
  /** Whom its members know to be there. */
  view: PresenceView | undefined;
  readonly #members = new Set<CrowdMember>();
  readonly #ring: MessageRing;
  readonly #soon: () => void;
  #events: TrackedRoomEvent[] = [];
  /** The newest message that was taken, and the newest that the members were sent. */
  #cursor = 0;
  #sent = 0;

  /** @param soon calls `flush` at the end of this turn */
  constructor(ring: MessageRing, soon: () => void) {
    this.#ring = ring;
    this.#soon = soon;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  get hasNews(): boolean {
    return this.#events.length > 0;
  }

  /** Lets somebody in who stands just here. */
  admit(member: CrowdMember, cursor: number, view: PresenceView): boolean {
    if (this.isEmpty) {
      this.view = view;
      this.#cursor = cursor;
      this.#sent = cursor;
    }
    // With news on the way, the newcomer would get again what it had by itself.
    if (this.hasNews || this.#cursor !== cursor || this.view !== view) return false;
    this.#members.add(member);
    return true;
  }

  /** For good, or until it is admitted again. */
  dismiss(member: CrowdMember): void {
    if (!this.#members.delete(member)) return;
    const passing = this.#events.filter(({ event }) => event.type !== "message");
    member.standApart(this.#sent, passing, this.view);
    if (this.isEmpty) this.#events = [];
  }

  dismissParticipant(id: string): void {
    for (const member of this.#members) if (member.participantId === id) this.dismiss(member);
  }

  /** The ring has grown. */
  takeMessages(): void {
    if (this.isEmpty) return;
    if (this.#cursor < this.#ring.floor) {
      // More came at once than the ring holds: each reads the log by itself.
      for (const member of this.#members) this.dismiss(member);
      return;
    }
    for (let next = this.#ring.next(this.#cursor); next; next = this.#ring.next(this.#cursor)) {
      this.#cursor = next.position;
      this.#events.push(next);
    }
    this.#soon();
  }

  tell(event: TrackedRoomEvent): void {
    if (this.isEmpty) return;
    this.#events.push(event);
    this.#soon();
  }

  flush(): void {
    if (!this.hasNews) return;
    const batch = new EventBatch(this.#events);
    for (const member of this.#members) if (!member.push(batch)) this.dismiss(member);
    this.#events = [];
    this.#sent = this.#cursor;
  }
}
