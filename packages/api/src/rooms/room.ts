import { andThen, type Soon } from "../soon.ts";
import { Crowd, type CrowdMember } from "./crowd.ts";
import type { TrackedRoomEvent } from "./event-id.ts";
import { passingId } from "./event-id.ts";
import { LogFollower } from "./log-follower.ts";
import type { MessageRing } from "./message-ring.ts";
import { OpenDoor } from "./open-door.ts";
import type { ReplyBoard } from "./reply-board.ts";
import type { BusMessage } from "./room-bus.ts";
import type { ReplyEvent, ReplyInProgress, RoomEvent } from "./room-events.ts";
import type { RoomListener } from "./room-listener.ts";
import type { RoomPorts } from "./room-ports.ts";
import type { PresenceView } from "./room-presence.ts";
import { presenceChange, RoomPresence } from "./room-presence.ts";
import { RoomReplies } from "./room-replies.ts";
import type { Cancel } from "./room-timers.ts";

type PassingMessage = BusMessage & { kind: "passing" };

interface RoomNeeds {
  ports: RoomPorts;
  /** Lets something run that nobody waits for, and reports it when it fails. */
  inBackground: (doing: string, work: Soon<unknown>) => void;
  replies: ReplyBoard;
  /** False: the participant typed in this room a moment ago. */
  mayType: (roomKey: string, participantId: string) => boolean;
  /** Numbers this server's passing events. */
  nextNumber: () => number;
  onClosed: () => void;
}

/**
 * One active room on this server: follows the log through the bus, keeps the newest messages
 * in a ring, and tells its sessions. Sessions read durable messages from the ring (or, when
 * they are slow, from the log) by their own cursor, so none can miss or repeat one.
 */
export class Room {
  readonly key: string;
  readonly log: LogFollower;
  readonly presence: RoomPresence;
  readonly door: OpenDoor;
  readonly sessions = new Set<RoomListener>();
  readonly crowd: Crowd;
  /** Those who are not in the crowd: they are told one by one. */
  readonly #apart = new Set<RoomListener>();
  /** Those of them that were let in, and count. */
  readonly #present = new Set<RoomListener>();
  readonly #needs: RoomNeeds;
  readonly #replies: RoomReplies;
  #listening: Promise<void> | undefined;
  #opening: Promise<void> | undefined;
  #isClosed = false;
  #unsubscribe: (() => Promise<void>) | undefined;
  /** Passing events whose message is still to be read from the log. */
  #held: Pick<PassingMessage, "event" | "except">[] = [];
  #keptUntil = 0;
  #cancelIdle: Cancel | undefined;
  #cancelBeat: Cancel | undefined;
  #flushing: NodeJS.Immediate | undefined;

  constructor(key: string, needs: RoomNeeds) {
    const { limits, presence, timers } = needs.ports;
    this.key = key;
    this.#needs = needs;
    this.door = new OpenDoor(needs.ports, () => this.ring.head > 0);
    this.log = new LogFollower({
      roomKey: key,
      ports: needs.ports,
      onGrown: () => {
        this.crowd.takeMessages();
        for (const session of this.#apart) session.wake();
      },
      onWhole: () => this.#tellHeld(),
    });
    this.#replies = new RoomReplies({
      roomKey: key,
      board: needs.replies,
      store: needs.ports.replies,
      onNews: (event) =>
        this.#tellInOrder({ event, after: event.type === "reply-done" ? event.id : 0 }),
    });
    this.crowd = new Crowd(this.log.ring, () => this.flushSoon());
    this.presence = new RoomPresence({
      roomKey: key,
      store: presence,
      timers,
      gatherMs: limits.GATHER_MS,
      isHeard: () => this.sessions.size > 0,
      onView: (view) => this.#tellPresence(view),
      onError: (error) => needs.ports.onError(error, "reading who is in a room"),
    });
  }

  get ports(): RoomPorts {
    return this.#needs.ports;
  }

  get ring(): MessageRing {
    return this.log.ring;
  }

  get isSubscribed(): boolean {
    return this.#unsubscribe !== undefined;
  }

  open(): Promise<void> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.close();
      throw error;
    });
    return this.#opening;
  }

  /** From here on it hears of messages, and of whoever shuts it. */
  listen(): Promise<void> {
    this.#listening ??= this.#listen();
    return this.#listening;
  }

  async #listen(): Promise<void> {
    const { bus } = this.ports;
    const unsubscribe = await bus.subscribe(this.key, (message) => this.#hear(message));
    if (this.#isClosed) return unsubscribe();
    this.#unsubscribe = unsubscribe;
  }

  async #open(): Promise<void> {
    // First: what is committed while the log is read would otherwise be in neither.
    await this.listen();
    if (this.#isClosed) return;
    await Promise.all([this.log.load(), this.#replies.catchUp()]);
  }

  /** Registers a session: from now on it is asked to check itself and misses no message. */
  join(session: RoomListener): void {
    this.sessions.add(session);
    this.#apart.add(session);
    this.#cancelBeat ??= this.ports.timers.after(this.ports.limits.RENEW_MS, () => this.#beat());
  }

  /** Counts a session that was let in. */
  async arrive(session: RoomListener): Promise<void> {
    const { presence, limits, onError } = this.ports;
    this.#present.add(session);
    try {
      if (await presence.renew(this.key, [session.lease], limits.LEASE_MS)) this.hintPresence();
    } catch (error) {
      onError(error, "taking a lease");
    }
  }

  leave(session: RoomListener & CrowdMember): void {
    const { presence, limits } = this.ports;
    this.crowd.dismiss(session);
    this.#apart.delete(session);
    this.sessions.delete(session);
    if (this.#present.delete(session)) {
      const released = presence.release(this.key, session.lease, limits.GRACE_MS);
      this.#needs.inBackground(
        "releasing a lease",
        andThen(released, () => this.hintPresence()),
      );
    }
    if (this.sessions.size > 0 || this.#isClosed) return;
    this.#cancelBeat?.();
    this.#cancelBeat = undefined;
    this.presence.stop();
    // Nobody was let in: then there is nothing to keep, and nobody to come back.
    if (this.#opening) this.keep(this.ports.limits.GRACE_MS);
    else this.close();
  }

  /** False: it does not stand just where the crowd stands, or news are on the way. */
  joinCrowd(session: RoomListener & CrowdMember, cursor: number): boolean {
    const { view } = session;
    const joins = view !== undefined && this.crowd.admit(session, cursor, view);
    if (joins) this.#apart.delete(session);
    return joins;
  }

  leaveCrowd(session: RoomListener): void {
    this.#apart.add(session);
    this.flushSoon();
  }

  /** What a turn of the event loop brings goes out at its end, together. */
  flushSoon(): void {
    this.#flushing ??= setImmediate(() => this.#flush());
  }

  /** Something else is said to one of the sessions, which must not overtake what has happened. */
  flushNow(): void {
    if (!this.#flushing) return;
    clearImmediate(this.#flushing);
    this.#flush();
  }

  #flush(): void {
    this.#flushing = undefined;
    this.crowd.flush();
    for (const session of [...this.#apart]) session.pump();
  }

  /** Tells every server that follows the room to look who is there. */
  hintPresence(): void {
    const { bus, nodeId } = this.ports;
    const hinted = bus.publish(this.key, { kind: "presence", from: nodeId });
    this.#needs.inBackground("telling of presence", hinted);
  }

  /** Stays open this long though nobody listens. */
  keep(ms: number): void {
    this.#keptUntil = Math.max(this.#keptUntil, this.ports.timers.now() + ms);
    this.#cancelIdle ??= this.ports.timers.after(ms, () => this.#closeIfIdle());
  }

  #closeIfIdle(): void {
    this.#cancelIdle = undefined;
    if (this.sessions.size > 0) return;
    const left = this.#keptUntil - this.ports.timers.now();
    if (left > 0) this.keep(left);
    else this.close();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const cancel of [this.#cancelIdle, this.#cancelBeat]) cancel?.();
    this.log.stop();
    this.presence.stop();
    this.#replies.stop();
    this.#needs.replies.dropForeign(this.key);
    this.#needs.onClosed();
    const unsubscribe = this.#unsubscribe;
    this.#unsubscribe = undefined;
    if (unsubscribe) this.#needs.inBackground("leaving a room's channel", unsubscribe());
    // Looking drops the leases that have run out: nobody else may look at this room again.
    this.#needs.inBackground("reading who is in a room", this.presence.list());
  }

  #beat(): void {
    const { timers, limits, presence } = this.ports;
    this.#cancelBeat = timers.after(limits.RENEW_MS, () => this.#beat());
    const leases = [...this.#present].map((session) => session.lease);
    const renewed = presence.renew(this.key, leases, limits.LEASE_MS);
    // Looking at every renewal makes good a hint that the bus has lost.
    this.#needs.inBackground(
      "renewing leases",
      andThen(renewed, () => this.presence.touch()),
    );
    // Makes good what was lost of them, and finds those whose server died.
    if (this.#needs.replies.hasForeign(this.key)) this.#catchUpReplies();
    for (const session of [...this.sessions]) session.recheckIfDue();
  }

  /** The bus was away: what it did not carry is looked up. The log is asked for all rooms at once. */
  catchUp(): void {
    this.door.forget();
    this.presence.touch();
    this.#catchUpReplies();
  }

  #catchUpReplies(): void {
    this.#needs.inBackground("reading the replies of a room", this.#replies.catchUp());
  }

  #hear(message: BusMessage): void {
    if (this.#isClosed) return;
    if (message.kind === "message") this.log.hear(message.event);
    else if (message.kind === "passing") this.#hearPassing(message);
    else if (message.kind === "presence") this.presence.touch();
    else if (message.kind === "replies") this.#catchUpReplies();
    else if (message.kind === "recheck") this.recheck();
  }

  /** Rights may have ended: of everybody, or of one participant. */
  recheck(participantId?: string): void {
    // Whoever loses a right of their own is asked for it at every call.
    if (participantId === undefined) this.door.forget();
    for (const session of [...this.sessions]) {
      const { id } = session.lease.participant;
      if (participantId === undefined || participantId === id) session.recheck();
    }
  }

  #hearPassing(message: PassingMessage): void {
    const { event, from, except } = message;
    if (from !== this.ports.nodeId) {
      // Who types through two servers in turn is still told of once.
      if (event.type === "typing" && !this.#needs.mayType(this.key, except ?? "")) return;
      if (event.type !== "typing" && !this.#hearReply(event)) return;
    }
    this.#tellInOrder(message);
  }

  /** True: it goes on to those who follow the room. */
  #hearReply(event: ReplyEvent): boolean {
    const heard = this.#needs.replies.hear(this.key, event);
    if (heard === "hole") this.#catchUpReplies();
    return heard === "news";
  }

  #tellInOrder(message: Pick<PassingMessage, "event" | "after" | "except">): void {
    if (!this.log.isLoaded) return;
    if (message.after > this.ring.head) {
      this.#held.push(message);
      this.log.noticeHead(message.after);
    } else {
      this.#tell(message.event, message.except);
    }
  }

  #tellHeld(): void {
    for (const { event, except } of this.#held.splice(0)) this.#tell(event, except);
  }

  track(event: RoomEvent, position: number): TrackedRoomEvent {
    const id = passingId(position, this.ports.nodeId, this.#needs.nextNumber());
    return { id, event, position };
  }

  #tell(event: RoomEvent, except?: string): void {
    const tracked = this.track(event, this.ring.head);
    if (except !== undefined) this.crowd.dismissParticipant(except);
    this.crowd.tell(tracked);
    for (const session of [...this.#apart]) {
      if (session.view && session.lease.participant.id !== except) session.offer(tracked);
    }
  }

  #tellPresence(view: PresenceView): void {
    // All who were told the same hear the same object; newcomers hear the rest of their own.
    const changes = new Map<PresenceView, TrackedRoomEvent | undefined>();
    const changeFrom = (told: PresenceView): TrackedRoomEvent | undefined => {
      if (!changes.has(told)) {
        const event = presenceChange(told, view);
        changes.set(told, event && this.track(event, this.ring.head));
      }
      return changes.get(told);
    };
    if (this.crowd.view) {
      const change = changeFrom(this.crowd.view);
      this.crowd.view = view;
      if (change) this.crowd.tell(change);
    }
    for (const session of [...this.#apart]) {
      if (!session.view || session.isBehind) continue;
      const change = changeFrom(session.view);
      session.view = view;
      if (change) session.offer(change);
    }
  }

  repliesInProgress(): ReplyInProgress[] {
    return this.#needs.replies.list(this.key);
  }
}
