import { HubError } from "../errors.ts";
import type { CrowdMember } from "./crowd.ts";
import { EventBatch } from "./event-batch.ts";
import type { TrackedRoomEvent } from "./event-id.ts";
import type { Lease, Participant } from "./presence-store.ts";
import type { Room } from "./room.ts";
import type { RoomStanding } from "./room-events.ts";
import type { RoomListener } from "./room-listener.ts";
import type { RoomOutlet } from "./room-outlet.ts";
import type { PresenceView } from "./room-presence.ts";
import { isDroppable, SessionReader } from "./session-reader.ts";

export interface EnterOptions {
  /** The newest message the client holds; undefined when it holds none. */
  lastId: number | undefined;
  /** Ends it. Undefined: `return` will. */
  signal: AbortSignal | undefined;
  /**
   * Throws a HubError when the participant may not be in the room. Asked before anything else,
   * whenever `recheck` is called, and every 30 to 40 seconds.
   */
  mayStay: () => Promise<void>;
  /** For this reader's sync alone, as of the last time that `mayStay` said yes. */
  standing?: () => RoomStanding | undefined;
  /** What its reader has not read yet is seen there, and, where it pushes, events go there. */
  outlet?: RoomOutlet | undefined;
}

/**
 * Encoded at once for a reader that catches up; what it has not read yet bounds the rest. The words
 * before each event count too: their reader chose them, and they may be 60 KB.
 */
const CHUNK_CHARS = 32 * 1024;

/**
 * One subscription: missed messages, one sync, then everything as it happens. It is asked for one
 * event after the other (`next`), or, where its door takes ready frames, fills them by itself
 * (`pushTo`), together with all others of the room that stand where it stands.
 */
export class RoomSession implements RoomListener, CrowdMember {
  readonly lease: Lease;
  view: PresenceView | undefined;
  readonly #room: Room;
  readonly #options: EnterOptions;
  readonly #reader: SessionReader;
  #isBegun = false;
  #isSynced = false;
  #isRecovered = true;
  /** Who was there when the sync was being prepared. */
  #found: PresenceView | undefined;
  #outlet: RoomOutlet | undefined;
  #isReading = false;
  #isBehind = false;
  #unpark: (() => void) | undefined;
  #onEnd: ((failure: unknown) => void) | undefined;
  #openChecks = 0;
  #checkedAt: number;
  #isEnded = false;
  #failure: unknown;

  constructor(room: Room, participant: Participant, options: EnterOptions, lease: string) {
    this.#room = room;
    this.#options = options;
    this.#reader = new SessionReader(room);
    this.lease = { participant, connection: lease };
    this.#checkedAt = room.ports.timers.now();
  }

  get participantId(): string {
    return this.lease.participant.id;
  }

  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** The next event, however long that takes; undefined when the session has ended. */
  async next(): Promise<TrackedRoomEvent | undefined> {
    if (!this.#isBegun) await this.#begin();
    const { outlet } = this.#options;
    while (!this.#isEnded) {
      if (outlet && this.#isHeldUp(outlet)) {
        await this.#parked();
        continue;
      }
      const event = this.#take();
      if (event) return event;
      await (this.#readMore() ?? this.#parked());
    }
    if (this.#failure) throw this.#failure;
    return undefined;
  }

  /** Instead of being asked: from the first event on, all goes to the outlet. */
  pushTo(outlet: RoomOutlet, onEnd: (failure: unknown) => void): void {
    this.#onEnd = onEnd;
    this.#begin()
      .then(() => {
        if (this.#isEnded) return;
        this.#outlet = outlet;
        outlet.source = this.#room;
        this.pump();
      })
      .catch((error: unknown) => this.end(error));
  }

  async #begin(): Promise<void> {
    this.#isBegun = true;
    // Before it is asked: only what this server would hear of can be remembered for the next.
    if (!this.#room.isSubscribed) await this.#room.listen();
    // Registered before it is asked, so that no change of mind can fall between the two.
    await this.#check();
    if (this.#isEnded) return;
    await Promise.all([this.#room.open(), this.#room.arrive(this)]);
    if (this.#isEnded) return;
    this.#isRecovered = await this.#reader.findStart(this.#options.lastId);
  }

  #take(): TrackedRoomEvent | undefined {
    if (this.#openChecks > 0) return undefined;
    const event = this.#reader.take();
    if (event || this.#isSynced || !this.#found || this.#reader.isBelowRing) return event;
    return this.#sync(this.#found);
  }

  /** Undefined: there is nothing that could be read now. */
  #readMore(): Promise<void> | undefined {
    if (this.#openChecks > 0) return undefined;
    if (this.#reader.isBelowRing) return this.#reader.readPage();
    if (this.#isSynced || this.#found) return undefined;
    // Read before the last look for messages: the sync stands behind every one of them.
    return this.#look();
  }

  async #look(): Promise<void> {
    this.#found = (await this.#room.presence.list()).participants;
  }

  /** In one turn: what is told here and what is offered from now on leave no hole between them. */
  #sync(view: PresenceView): TrackedRoomEvent {
    const room = this.#room;
    this.#isSynced = true;
    this.view = view;
    this.#found = undefined;
    room.presence.touch();
    const participants = [...view.values()].map(({ name, kind }) => ({ name, kind }));
    const head = room.ring.head;
    const replies = room.repliesInProgress();
    const online_count = view.size;
    const recovered = this.#isRecovered;
    const standing = this.#options.standing?.();
    return room.track(
      { type: "sync", recovered, head, online_count, participants, replies, ...standing },
      this.#reader.cursor,
    );
  }

  #parked(): Promise<void> {
    return new Promise((resolve) => {
      this.#unpark = resolve;
    });
  }

  wake(): void {
    if (this.#outlet) this.#room.flushSoon();
    else this.#goOn();
  }

  #goOn(): void {
    this.#unpark?.();
    this.#unpark = undefined;
  }

  offer(event: TrackedRoomEvent): void {
    if (this.#isEnded || (this.#isBehind && isDroppable(event))) return;
    const max = this.#room.ports.limits.PASSING_QUEUE_MAX;
    if (this.#reader.hold(event) > max && this.#reader.shed() > max / 2) {
      this.end(new HubError("overloaded"));
    }
    this.wake();
  }

  /** Fills the outlet with what there is, then joins the crowd. */
  pump(): void {
    const outlet = this.#outlet;
    while (outlet && !this.#isReading && !this.#isEnded && !this.#isHeldUp(outlet)) {
      const events = this.#takeSome();
      if (events.length > 0) {
        outlet.write(new EventBatch(events).framesFor(outlet));
        continue;
      }
      const reading = this.#readMore();
      if (reading) this.#pumpAfter(reading);
      else if (this.#openChecks === 0) this.#joinCrowd();
      return;
    }
  }

  #takeSome(): TrackedRoomEvent[] {
    const events: TrackedRoomEvent[] = [];
    const wording = this.#outlet?.wording?.length ?? 0;
    for (let chars = 0; chars < CHUNK_CHARS; ) {
      const next = this.#take();
      if (!next) break;
      events.push(next);
      chars += wording + ("content" in next.event ? next.event.content.length : 0);
    }
    return events;
  }

  #pumpAfter(reading: Promise<void>): void {
    this.#isReading = true;
    const goOn = () => {
      this.#isReading = false;
      this.pump();
    };
    reading.then(goOn).catch((error: unknown) => this.end(error));
  }

  /** A reader that is behind is read the messages from the log later on, and loses what passes. */
  #isHeldUp(outlet: RoomOutlet): boolean {
    if (this.#isBehind || outlet.unsent <= this.#room.ports.limits.UNSENT_BYTES) {
      return this.#isBehind;
    }
    this.#isBehind = true;
    this.#reader.shed();
    outlet.whenSent(() => {
      this.#isBehind = false;
      if (this.#isEnded) return;
      // Of presence it is told the sum.
      this.#room.presence.touch();
      this.wake();
    });
    return true;
  }

  #joinCrowd(): void {
    // The crowd knows whom it was told of.
    if (this.#room.joinCrowd(this, this.#reader.cursor)) this.view = undefined;
  }

  push(batch: EventBatch): boolean {
    const outlet = this.#outlet;
    if (!outlet || this.#isHeldUp(outlet)) return false;
    outlet.write(batch.framesFor(outlet));
    return true;
  }

  standApart(cursor: number, passing: TrackedRoomEvent[], view: PresenceView | undefined): void {
    this.view = view;
    this.#reader.goOnBehind(cursor, passing);
    if (this.#isBehind) this.#reader.shed();
    this.#room.leaveCrowd(this);
  }

  recheck(): void {
    // Held back until the answer: a room that turned private must not speak to a stranger first.
    this.#openChecks += 1;
    this.#room.crowd.dismiss(this);
    void this.#check().then(() => {
      this.#openChecks -= 1;
      this.wake();
    });
  }

  recheckIfDue(): void {
    const { timers, limits } = this.#room.ports;
    if (timers.now() - this.#checkedAt >= limits.RECHECK_MS) void this.#check();
  }

  async #check(): Promise<void> {
    this.#checkedAt = this.#room.ports.timers.now();
    try {
      await this.#options.mayStay();
    } catch (cause) {
      // Nobody stays on a doubt: a client that may, comes back by itself.
      this.end(cause instanceof HubError ? cause : new HubError("overloaded", { cause }));
    }
  }

  /** Leaves at once, whether or not anybody asks for another event. */
  end(error?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#failure = error;
    this.#room.leave(this);
    this.#reader.clear();
    this.#options.outlet?.end();
    this.#goOn();
    this.#onEnd?.(error);
  }
}
