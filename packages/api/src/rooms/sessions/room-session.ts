import { HubError } from "../../errors.ts";
import type { GroupMember } from "../delivery/broadcast-group.ts";
import { EventBatch } from "../delivery/event-batch.ts";
import type { EventSink } from "../delivery/event-sink.ts";
import type { RoomListener } from "../delivery/room-listener.ts";
import type { TrackedRoomEvent } from "../event-id.ts";
import type { Lease, Participant } from "../ports/presence-store.ts";
import { type PresenceView, presentParticipants } from "../presence/room-presence.ts";
import type { Room } from "../room.ts";
import type { ViewerState } from "../room-events.ts";
import { isDroppable, SessionReader } from "./session-reader.ts";

export interface SessionOptions {
  /** The id of the newest message that the client holds; undefined if it holds none. */
  lastId: number | undefined;
  /**
   * Checks the participant's right to be in the room. The session calls this function when it
   * starts, in `recheck`, and every 30 to 40 seconds.
   * @throws HubError to end the session
   */
  authorize: () => Promise<void>;
  /**
   * Returns the room's privacy and the client's own identity for the sync event, as of the last
   * `authorize`.
   */
  viewerState?: () => ViewerState | undefined;
  /** Returns the events as this client may see them. By default every client sees the same. */
  present?: (batch: EventBatch) => EventBatch;
  sink: EventSink;
  /** Called before the session ends because its participant is another one now (0077). */
  onDismissed?: () => void;
  /** Called once when the session ends, with the failure if any. Never called during `join`. */
  onEnd: (failure?: unknown) => void;
}

/**
 * The state of a session.
 * - `joining`: the participant's right is checked, and the room is opened.
 * - `catching-up`: the session sends the missed messages, then one sync event.
 * - `live`: events are sent as they happen, by the broadcast group where possible.
 * - `lagging`: the client reads too slowly. Nothing is sent until the sink's buffer has drained.
 */
type SessionState = "joining" | "catching-up" | "live" | "lagging" | "closed";

/** The size of one batch while a client catches up, in characters, frame prefixes included. */
const CHUNK_CHARS = 32 * 1024;

/** A client's subscription to a room: missed messages, one sync event, then new events. */
export class RoomSession implements RoomListener, GroupMember {
  lease: Lease;
  view: PresenceView | undefined;
  #room: Room;
  readonly #options: SessionOptions;
  readonly #sink: EventSink;
  #reader: SessionReader;
  /** The id of the newest message that the client held at the start. */
  #lastId: number | undefined;
  /** True if the client holds messages of a log that was deleted. */
  #holdsDeleted = false;
  #state: SessionState = "joining";
  #isRecovered = true;
  /** The room's revision before the session read its first message. */
  #startRevision = 0;
  /** The participants for the sync event, read before the last missed message was sent. */
  #present: PresenceView | undefined;
  #isSending = false;
  #pendingChecks = 0;
  #checkedAt: number;

  constructor(room: Room, participant: Participant, options: SessionOptions, connection: string) {
    this.#room = room;
    this.#options = options;
    this.#sink = options.sink;
    this.#reader = new SessionReader(room);
    this.#lastId = options.lastId;
    this.lease = { participant, connection };
    this.#checkedAt = room.ports.timers.now();
  }

  get isLagging(): boolean {
    return this.#state === "lagging";
  }

  async start(): Promise<void> {
    try {
      // If the room's log is deleted meanwhile, the session enters the room's successor.
      for (let room: Room | undefined; room !== this.#room && !this.#isClosed; ) {
        room = this.#room;
        await this.#enter(room);
      }
    } catch (error) {
      this.end(error);
    }
    if (this.#isClosed) return;
    this.#state = "catching-up";
    this.#sink.source = this.#room.broadcast;
    this.flush();
  }

  async #enter(room: Room): Promise<void> {
    const isLeft = () => this.#isClosed || this.#room !== room;
    // The room subscribes to the bus before `authorize` runs. The access cache keeps a result only
    // while this server receives the room's rechecks.
    await room.listen();
    if (isLeft()) return;
    await this.#check();
    if (isLeft()) return;
    await room.open();
    if (isLeft()) return;
    const participant = { ...this.lease.participant, since_id: room.buffer.head };
    this.lease = { ...this.lease, participant };
    await room.addPresent(this);
    if (isLeft()) return;
    this.#startRevision = room.revisions.revision;
    this.#reader.lacksChange = false;
    const isRecovered = await this.#reader.findStart(this.#lastId);
    this.#isRecovered = isRecovered && !this.#holdsDeleted;
  }

  restart(): void {
    const { successor } = this.#room;
    if (this.#isClosed || !successor) return;
    this.#room.broadcast.group.remove(this);
    this.#room = successor;
    this.#reader = new SessionReader(successor);
    this.#present = undefined;
    this.view = undefined;
    successor.join(this);
    // A session that is still joining enters the successor by itself.
    if (this.#state === "joining") return;
    this.#state = "joining";
    this.#lastId = undefined;
    this.#holdsDeleted = true;
    void this.start();
  }

  get #isClosed(): boolean {
    return this.#state === "closed";
  }

  wake(): void {
    this.#room.broadcast.scheduleFlush();
  }

  offer(event: TrackedRoomEvent): void {
    if (this.#isClosed) return;
    if (event.event.type === "changed") this.#reader.amend(event.event.messages ?? []);
    if (this.#state !== "live" && isDroppable(event)) {
      this.#reader.lacksChange ||= event.event.type === "changed";
      return;
    }
    const max = this.#room.ports.limits.TRANSIENT_QUEUE_MAX;
    if (this.#reader.enqueue(event) > max && this.#reader.dropDroppable() > max / 2) {
      this.end(new HubError("overloaded"));
      return;
    }
    this.#reportMissedChange();
    this.wake();
  }

  /** Sends the client the room's settings again, which `present` now shows otherwise. */
  showAnew(): void {
    this.#reader.lacksChange = true;
    this.#reportMissedChange();
  }

  /** Tells a live client that it missed a change, so that it asks for the change. */
  #reportMissedChange(): void {
    if (this.#state !== "live" || !this.#reader.lacksChange) return;
    this.#reader.lacksChange = false;
    this.#reader.enqueue(this.#room.trackMissedChange());
  }

  flush(): void {
    if (!this.#isSending) void this.#send();
  }

  /**
   * Sends the client all pending events, and reads the messages that it has not received from the
   * log. Adds the session to the broadcast group when nothing is left to send.
   */
  async #send(): Promise<void> {
    this.#isSending = true;
    try {
      while (this.#isWritable()) {
        const events = this.#takeChunk();
        if (events.length > 0) this.#write(new EventBatch(events));
        else if (this.#reader.isBelowBuffer) await this.#reader.readPage();
        else if (this.#state === "live") return this.#joinGroup();
        // The sync event must follow all messages. After the participants were read, the loop
        // therefore looks for messages once more.
        else if (!this.#present) this.#present = (await this.#room.presence.list()).participants;
        else this.#sendSync(this.#present);
      }
    } catch (error) {
      this.end(error);
    } finally {
      this.#isSending = false;
    }
  }

  #takeChunk(): TrackedRoomEvent[] {
    const events: TrackedRoomEvent[] = [];
    // The client chooses the prefix of its frames. A long one must count towards the chunk's size.
    const prefix = this.#sink.framePrefix.length;
    for (let chars = 0; chars < CHUNK_CHARS; ) {
      const next = this.#reader.take();
      if (!next) break;
      events.push(next);
      chars += prefix + ("content" in next.event ? next.event.content.length : 0);
    }
    return events;
  }

  /** Sends the sync event and makes the session live in one event-loop turn, to lose no event. */
  #sendSync(present: PresenceView): void {
    const room = this.#room;
    this.#state = "live";
    this.view = present;
    this.#present = undefined;
    room.presence.touch();
    const sync = room.track(
      {
        type: "sync",
        recovered: this.#isRecovered,
        head: room.buffer.head,
        // A change since then is reported after this event: the client may hold a former state.
        revision: this.#startRevision,
        room: room.revisions.room,
        ...presentParticipants(present, room.buffer.head),
        replies: room.repliesInProgress(),
        ...this.#options.viewerState?.(),
      },
      this.#reader.cursor,
    );
    this.#write(new EventBatch([sync]));
    this.#reportMissedChange();
  }

  #joinGroup(): void {
    // The broadcast group tracks the participants that its clients know of, so the session need
    // not.
    if (this.#room.broadcast.joinGroup(this, this.#reader.cursor)) this.view = undefined;
  }

  /** True if the session may send. A full sink buffer makes the session lag until it drains. */
  #isWritable(): boolean {
    const { ports, presence } = this.#room;
    const state = this.#state;
    if (state === "joining" || state === "lagging" || state === "closed") return false;
    if (this.#pendingChecks > 0) return false;
    if (this.#sink.bufferedAmount <= ports.limits.LAGGING_BYTES) return true;
    this.#state = "lagging";
    this.#reader.dropDroppable();
    this.#sink.onDrain(() => {
      if (!this.isLagging) return;
      this.#state = state;
      // A lagging client gets no presence changes. After the lag, one event contains the
      // difference.
      presence.touch();
      this.#reportMissedChange();
      this.wake();
    });
    return false;
  }

  push(batch: EventBatch): boolean {
    if (!this.#isWritable()) return false;
    this.#write(batch);
    return true;
  }

  #write(batch: EventBatch): void {
    this.#sink.write(this.#options.present?.(batch) ?? batch);
  }

  detach(cursor: number, transient: TrackedRoomEvent[], view: PresenceView | undefined): void {
    this.view = view;
    this.#reader.resume(cursor, transient);
    if (this.isLagging) this.#reader.dropDroppable();
    this.#room.broadcast.leaveGroup(this);
  }

  recheck(): void {
    // The session sends nothing until the check ends. If the room has become private, the client
    // may not see its next message.
    this.#pendingChecks += 1;
    this.#room.broadcast.group.remove(this);
    void this.#check().then(() => {
      this.#pendingChecks -= 1;
      this.wake();
    });
  }

  dismiss(): void {
    this.#options.onDismissed?.();
    this.end(new HubError("shutting_down"));
  }

  recheckIfDue(): void {
    const { timers, limits } = this.#room.ports;
    const age = timers.now() - this.#checkedAt;
    if (age < limits.RECHECK_MS) return;
    void this.#check(age + limits.RENEW_MS < limits.UNCHECKED_MS);
  }

  /**
   * Ends the session if its participant may not be in the room.
   * @param isRepeated true if the next lease renewal repeats a check that could not be made. A short
   *   outage of the database then ends no session.
   */
  async #check(isRepeated = false): Promise<void> {
    const startedAt = this.#room.ports.timers.now();
    try {
      await this.#options.authorize();
      this.#checkedAt = startedAt;
    } catch (cause) {
      if (cause instanceof HubError) this.end(cause, 0);
      else if (!isRepeated) this.end(new HubError("overloaded", { cause }));
    }
  }

  /** @param graceMs as for {@link Room.leave}: a refused participant, e.g. a banned one, leaves at once */
  end(error?: unknown, graceMs?: number): void {
    if (this.#isClosed) return;
    this.#state = "closed";
    this.#room.broadcast.group.remove(this);
    this.#room.leave(this, graceMs);
    this.#reader.clear();
    this.#sink.end();
    this.#options.onEnd(error);
  }
}
