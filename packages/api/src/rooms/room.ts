import { HubError } from "../errors.ts";
import type { BusMessage } from "./bus/room-bus.ts";
import { RoomBroadcast } from "./delivery/room-broadcast.ts";
import type { RoomListener } from "./delivery/room-listener.ts";
import type { TrackedRoomEvent } from "./event-id.ts";
import { transientId } from "./event-id.ts";
import { LogFollower } from "./log/log-follower.ts";
import type { MessageBuffer } from "./log/message-buffer.ts";
import { RevisionFollower } from "./log/revision-follower.ts";
import type { RoomPorts } from "./ports/room-ports.ts";
import { RoomPresence } from "./presence/room-presence.ts";
import { RoomReplies } from "./replies/room-replies.ts";
import { RoomAccessCache } from "./room-access-cache.ts";
import type { ReplyEvent, ReplyInProgress, RoomEvent } from "./room-events.ts";
import type { RoomServer } from "./room-server.ts";
import type { Cancel } from "./room-timers.ts";

type TransientMessage = Extract<BusMessage, { kind: "transient" }>;
/** A transient event that must follow the message with the id `after`. */
type OrderedEvent = Pick<TransientMessage, "event" | "after" | "except">;

interface RoomDependencies extends RoomServer {
  onClosed: () => void;
  /** Returns the room that takes the place of a closed one. Undefined while the server stops. */
  openSuccessor: () => Room | undefined;
}

/**
 * One active room on this server. It follows the log through the bus, keeps the newest messages in
 * a buffer and wakes its listeners. Each listener reads messages at its own cursor, from the buffer
 * or from the log. No listener can thus miss or repeat a message.
 */
export class Room {
  readonly key: string;
  readonly log: LogFollower;
  readonly presence: RoomPresence;
  readonly access: RoomAccessCache;
  readonly revisions: RevisionFollower;
  readonly broadcast: RoomBroadcast;
  readonly sessions = new Set<RoomListener>();
  /** The room that took the place of this one, after the log of this one was deleted. */
  successor: Room | undefined;
  /** Sessions of present participants, whose leases this server renews. */
  readonly #present = new Set<RoomListener>();
  readonly #deps: RoomDependencies;
  readonly #replies: RoomReplies;
  #listening: Promise<void> | undefined;
  #opening: Promise<void> | undefined;
  #isClosed = false;
  #unsubscribe: (() => Promise<void>) | undefined;
  /** Transient events that wait until the buffer holds the message that they must follow. */
  #deferred: OrderedEvent[] = [];
  #openUntil = 0;
  #cancelIdle: Cancel | undefined;
  #cancelRenewal: Cancel | undefined;

  constructor(key: string, deps: RoomDependencies) {
    const { ports } = deps;
    this.key = key;
    this.#deps = deps;
    this.access = new RoomAccessCache(ports, () => this.buffer.head > 0);
    this.log = new LogFollower({
      roomKey: key,
      ports,
      onAppended: () => {
        this.broadcast.takeMessages();
        this.#readTitle();
      },
      onReplaced: () => this.forgetLog(),
      onCaughtUp: () => this.#broadcastDeferred(),
    });
    this.revisions = new RevisionFollower({
      roomKey: key,
      ports,
      log: this.log,
      onChanged: (change) => this.broadcast.send({ type: "changed", ...change }),
    });
    this.#replies = new RoomReplies({
      roomKey: key,
      tracker: deps.replies,
      store: ports.replies,
      onMissed: (event) =>
        this.#broadcastInOrder({ event, after: event.type === "reply-done" ? event.id : 0 }),
    });
    this.broadcast = new RoomBroadcast(this.buffer, (event) => this.track(event, this.buffer.head));
    this.presence = new RoomPresence({
      roomKey: key,
      ports,
      hasListeners: () => this.sessions.size > 0,
      onView: (view) => this.broadcast.sendPresence(view),
    });
  }

  get ports(): RoomPorts {
    return this.#deps.ports;
  }

  get buffer(): MessageBuffer {
    return this.log.buffer;
  }

  get isSubscribed(): boolean {
    return this.#unsubscribe !== undefined;
  }

  open(): Promise<void> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.close(error);
      throw error;
    });
    return this.#opening;
  }

  /** Subscribes to the room's channel on the bus, which carries messages and rechecks. */
  listen(): Promise<void> {
    this.#listening ??= this.#listen();
    return this.#listening;
  }

  async #listen(): Promise<void> {
    const { bus } = this.ports;
    const unsubscribe = await bus.subscribe(this.key, (message) => this.#receive(message));
    if (this.#isClosed) return unsubscribe();
    this.#unsubscribe = unsubscribe;
  }

  async #open(): Promise<void> {
    // The room subscribes first, or it would lose a message that is committed during the read.
    await this.listen();
    if (this.#isClosed) return;
    await Promise.all([this.#load(), this.#replies.catchUp()]);
  }

  async #load(): Promise<void> {
    const { log, limits } = this.ports;
    const snapshot = await log.load(this.key, limits.BUFFER_MESSAGES);
    this.revisions.load(snapshot);
    await this.log.load(snapshot.messages);
  }

  /** Registers a session, which from now on misses no message and no recheck. */
  join(session: RoomListener): void {
    this.sessions.add(session);
    this.broadcast.add(session);
    const { timers, limits } = this.ports;
    this.#cancelRenewal ??= timers.after(limits.RENEW_MS, () => this.#renew());
  }

  /** Takes a lease for an authorised session, so that its participant counts as present. */
  async addPresent(session: RoomListener): Promise<void> {
    const { presence, limits, onError } = this.ports;
    this.#present.add(session);
    try {
      if (await presence.renew(this.key, [session.lease], limits.LEASE_MS)) this.hintPresence();
    } catch (error) {
      onError(error, "taking a lease");
    }
  }

  /** @param graceMs milliseconds for which the participant still counts as present */
  leave(session: RoomListener, graceMs = this.ports.limits.GRACE_MS): void {
    const { limits } = this.ports;
    this.broadcast.delete(session);
    this.sessions.delete(session);
    if (this.#present.delete(session)) {
      this.#deps.inBackground("releasing a lease", this.#release(session, graceMs));
    }
    if (this.sessions.size > 0 || this.#isClosed) return;
    this.#cancelRenewal?.();
    this.#cancelRenewal = undefined;
    this.presence.stop();
    // A room that was never opened admitted no session. No client will reconnect to it, so it
    // closes.
    if (this.#opening) this.keepOpen(limits.GRACE_MS);
    else this.close();
  }

  async #release({ lease }: RoomListener, graceMs: number): Promise<void> {
    await this.ports.presence.release(this.key, lease, graceMs);
    this.hintPresence();
  }

  /** Makes every server that follows the room read the room's presence again. */
  hintPresence(): void {
    this.#deps.publish(this.key, { kind: "presence" });
  }

  /** Keeps the room open for `ms` although it has no session. */
  keepOpen(ms: number): void {
    const { timers } = this.ports;
    this.#openUntil = Math.max(this.#openUntil, timers.now() + ms);
    this.#cancelIdle ??= timers.after(ms, () => this.#closeIfIdle());
  }

  #closeIfIdle(): void {
    this.#cancelIdle = undefined;
    if (this.sessions.size > 0) return;
    const left = this.#openUntil - this.ports.timers.now();
    if (left > 0) this.keepOpen(left);
    else this.close();
  }

  /** Closes the room. Sessions that are still in it end with `failure`. */
  close(failure?: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const session of [...this.sessions]) session.end(failure);
    this.#cancelIdle?.();
    this.#cancelRenewal?.();
    this.log.stop();
    this.revisions.stop();
    this.presence.stop();
    this.#replies.stop();
    this.#deps.replies.dropRemote(this.key);
    this.#deps.onClosed();
    const unsubscribe = this.#unsubscribe;
    this.#unsubscribe = undefined;
    if (unsubscribe) this.#deps.inBackground("leaving a room's channel", unsubscribe());
    // A closed room's presence is perhaps never read again. This read removes its expired leases.
    this.#deps.inBackground("reading the presence of a room", this.presence.list());
  }

  /**
   * Closes the room after its log was deleted, since its buffer holds the deleted messages. Its
   * listeners continue in a new room: each gets the messages of the new log, then a sync event.
   */
  forgetLog(): void {
    if (this.#isClosed) return;
    const listeners = [...this.sessions];
    // The listeners keep their leases, so that their participants stay present.
    this.sessions.clear();
    this.close();
    if (listeners.length > 0) this.successor = this.#deps.openSuccessor();
    for (const listener of listeners) {
      if (this.successor) listener.restart();
      else listener.end(new HubError("shutting_down"));
    }
  }

  #renew(): void {
    const { timers, limits } = this.ports;
    this.#cancelRenewal = timers.after(limits.RENEW_MS, () => this.#renew());
    this.#deps.inBackground("renewing leases", this.#renewLeases());
    // Repairs replies whose events the bus lost, and ends those of servers that died.
    if (this.#deps.replies.hasRemote(this.key)) this.#catchUpReplies();
    for (const session of [...this.sessions]) session.recheckIfDue?.();
  }

  async #renewLeases(): Promise<void> {
    const leases = [...this.#present].map(({ lease }) => lease);
    await this.ports.presence.renew(this.key, leases, this.ports.limits.LEASE_MS);
    // Presence is read at each renewal, since the bus may have lost the message about a change.
    this.presence.touch();
  }

  /** Repairs access, presence, replies and settings after an outage of the bus. */
  catchUp(): void {
    this.access.forget();
    this.presence.touch();
    this.#catchUpReplies();
    this.revisions.refresh();
  }

  /** Reads the title that the room's first message gives it without a revision. */
  #readTitle(): void {
    if (this.buffer.head > 0 && this.revisions.room?.title === "") this.revisions.refresh();
  }

  #catchUpReplies(): void {
    this.#deps.inBackground("reading the replies of a room", this.#replies.catchUp());
  }

  #receive(message: BusMessage): void {
    if (this.#isClosed) return;
    if (message.kind === "message") this.log.receive(message.event);
    else if (message.kind === "changed") this.revisions.receive(message.change);
    else if (message.kind === "transient") this.#receiveTransient(message);
    else if (message.kind === "presence") this.presence.touch();
    else if (message.kind === "replies") this.#catchUpReplies();
    else if (message.kind === "recheck") this.recheck();
    else if (message.kind === "log-deleted") this.forgetLog();
  }

  /**
   * Checks the right to be in the room again, for all sessions or for those of one participant. Ends
   * them if the participant is gone.
   */
  recheck(participantId?: string, isGone = false): void {
    // A recheck of one participant keeps the cache, which holds only facts about the room.
    if (participantId === undefined) this.access.forget();
    for (const session of [...this.sessions]) {
      const { id } = session.lease.participant;
      if (participantId !== undefined && participantId !== id) continue;
      if (isGone) session.dismiss();
      else session.recheck();
    }
  }

  #receiveTransient(message: TransientMessage): void {
    const { event, from, except } = message;
    if (from !== this.ports.nodeId) {
      // A participant may send typing events through two servers. Only the first one in TYPING_MS
      // is passed on.
      if (event.type === "typing" && !this.#deps.mayType(this.key, except ?? "")) return;
      if (event.type !== "typing" && !this.#applyRemote(event)) return;
    }
    this.#broadcastInOrder(message);
  }

  /** Applies another server's event. Returns true if it is new to this server's sessions. */
  #applyRemote(event: ReplyEvent): boolean {
    const outcome = this.#deps.replies.applyRemote(this.key, event);
    if (outcome === "gap") this.#catchUpReplies();
    return outcome === "new";
  }

  #broadcastInOrder(message: OrderedEvent): void {
    if (!this.log.isLoaded) return;
    if (message.after > this.buffer.head) {
      this.#deferred.push(message);
      this.log.noticeHead(message.after);
    } else {
      this.broadcast.send(message.event, message.except);
    }
  }

  #broadcastDeferred(): void {
    for (const { event, except } of this.#deferred.splice(0)) this.broadcast.send(event, except);
  }

  track(event: RoomEvent, position: number): TrackedRoomEvent {
    const id = transientId(position, this.ports.nodeId, this.#deps.nextNumber());
    return { id, event, position };
  }

  /** Returns an event which makes a client ask for changes that it was not sent. */
  trackMissedChange(): TrackedRoomEvent {
    const { revision, room } = this.revisions;
    const change = { revision, prev_revision: revision, ...(room && { room }) };
    return this.track({ type: "changed", ...change }, this.buffer.head);
  }

  repliesInProgress(): ReplyInProgress[] {
    return this.#deps.replies.list(this.key);
  }
}
