import { HubError } from "../errors.ts";
import type { TrackedRoomEvent } from "./event-id.ts";
import { trackMessage } from "./message-ring.ts";
import type { Lease, Participant } from "./presence-store.ts";
import type { Room } from "./room.ts";
import type { RoomEvent, RoomMessage } from "./room-events.ts";
import type { RoomListener } from "./room-listener.ts";
import type { PresenceView } from "./room-presence.ts";

export interface EnterOptions {
  /** The newest message the client holds; undefined when it holds none. */
  lastId: number | undefined;
  /** One socket or request. */
  connectionId: string;
  signal: AbortSignal;
  /**
   * Throws a HubError when the participant may not be in the room. Asked before anything else,
   * whenever `recheck` is called, and every 30 to 40 seconds.
   */
  mayStay: () => Promise<void>;
}

const droppable: ReadonlySet<RoomEvent["type"]> = new Set(["reply-delta", "typing"]);

/** One subscription: missed messages, one sync, then everything as it happens. */
export class RoomSession implements RoomListener {
  readonly lease: Lease;
  view: PresenceView | undefined;
  readonly #room: Room;
  readonly #options: EnterOptions;
  /** The newest message handed out. */
  #cursor = 0;
  /** Messages older than the ring, read for this session alone. */
  #page: TrackedRoomEvent[] = [];
  #passing: TrackedRoomEvent[] = [];
  #wake: (() => void) | undefined;
  #openChecks = 0;
  #checkedAt: number;
  #isEnded = false;
  #failure: unknown;

  constructor(room: Room, participant: Participant, options: EnterOptions, lease: string) {
    this.#room = room;
    this.#options = options;
    this.lease = { participant, connection: lease };
    this.#checkedAt = room.ports.timers.now();
  }

  async *events(): AsyncGenerator<TrackedRoomEvent, void, undefined> {
    try {
      // Registered before it is asked, so that no change of mind can fall between the two.
      await this.#check();
      if (!this.#isEnded) await Promise.all([this.#room.open(), this.#room.arrive(this)]);
      const recovered = this.#isEnded || (await this.#findStart());
      let view: PresenceView | undefined;
      while (!this.#isEnded) {
        if (this.#openChecks > 0) {
          await this.#parked();
          continue;
        }
        const next = this.#take();
        if (next) yield next;
        else if (this.#cursor < this.#room.ring.floor) await this.#readPage();
        else if (this.view) await this.#parked();
        // Read before the last look for messages: the sync stands behind every one of them.
        else if (!view) view = (await this.#room.presence.list()).participants;
        else yield this.#sync(recovered, view);
      }
    } finally {
      this.end();
    }
    if (this.#failure) throw this.#failure;
  }

  /** Where to begin. False: the client's log has to start anew. */
  async #findStart(): Promise<boolean> {
    const { ring, key, ports } = this.#room;
    const { lastId } = this.#options;
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

  #take(): TrackedRoomEvent | undefined {
    const passing = this.#passing[0];
    if (passing && passing.position <= this.#cursor) return this.#passing.shift();
    const { ring } = this.#room;
    const message =
      this.#page.shift() ?? (this.#cursor < ring.floor ? undefined : ring.next(this.#cursor));
    if (message) this.#cursor = message.position;
    return message;
  }

  async #readPage(): Promise<void> {
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

  /** In one turn: what is told here and what is offered from now on leave no hole between them. */
  #sync(recovered: boolean, view: PresenceView): TrackedRoomEvent {
    const room = this.#room;
    this.view = view;
    room.presence.touch();
    const participants = [...view.values()].map(({ name, kind }) => ({ name, kind }));
    const head = room.ring.head;
    const replies = room.repliesInProgress();
    const online_count = view.size;
    return room.track(
      { type: "sync", recovered, head, online_count, participants, replies },
      this.#cursor,
    );
  }

  #parked(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  offer(event: TrackedRoomEvent): void {
    if (this.#isEnded) return;
    this.#passing.push(event);
    const max = this.#room.ports.limits.PASSING_QUEUE_MAX;
    if (this.#passing.length > max) this.#shed(max / 2);
    this.wake();
  }

  /** A slow reader may lose what only passes, never what changes its picture of the room. */
  #shed(keep: number): void {
    this.#passing = this.#passing.filter(({ event }) => !droppable.has(event.type));
    if (this.#passing.length > keep) this.end(new HubError("overloaded"));
  }

  recheck(): void {
    // Held back until the answer: a room that turned private must not speak to a stranger first.
    this.#openChecks += 1;
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
    this.#passing = [];
    this.#page = [];
    this.#room.leave(this);
    this.wake();
  }
}
