import type { TrackedRoomEvent } from "./event-id.ts";
import { passingId } from "./event-id.ts";
import { LogFollower } from "./log-follower.ts";
import type { MessageRing } from "./message-ring.ts";
import type { ReplyBoard } from "./reply-board.ts";
import type { BusMessage } from "./room-bus.ts";
import type { ReplyInProgress, RoomEvent } from "./room-events.ts";
import type { RoomListener } from "./room-listener.ts";
import type { RoomPorts } from "./room-ports.ts";
import type { PresenceView } from "./room-presence.ts";
import { presenceChange, RoomPresence } from "./room-presence.ts";
import type { Cancel } from "./room-timers.ts";

interface RoomNeeds {
  ports: RoomPorts;
  /** Lets something run that nobody waits for, and reports it when it fails. */
  inBackground: (doing: string, work: Promise<unknown>) => void;
  replies: ReplyBoard;
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
  readonly sessions = new Set<RoomListener>();
  /** Those of them that were let in, and count. */
  readonly #present = new Set<RoomListener>();
  readonly #needs: RoomNeeds;
  #opening: Promise<void> | undefined;
  #isClosed = false;
  #unsubscribe: (() => Promise<void>) | undefined;
  /** Passing events whose message is still to be read from the log. */
  #held: (BusMessage & { kind: "passing" })[] = [];
  #keptUntil = 0;
  #cancelIdle: Cancel | undefined;
  #cancelBeat: Cancel | undefined;

  constructor(key: string, needs: RoomNeeds) {
    const { limits, presence, timers } = needs.ports;
    this.key = key;
    this.#needs = needs;
    this.log = new LogFollower({
      roomKey: key,
      ports: needs.ports,
      onGrown: () => {
        for (const session of this.sessions) session.wake();
      },
      onWhole: () => this.#tellHeld(),
    });
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

  async #open(): Promise<void> {
    const { bus } = this.ports;
    // Subscribe first: what is committed while the log is read would otherwise be in neither.
    const unsubscribe = await bus.subscribe(this.key, (message) => this.#hear(message));
    if (this.#isClosed) return unsubscribe();
    this.#unsubscribe = unsubscribe;
    await this.log.load();
  }

  /** Registers a session: from now on it is asked to check itself and misses no message. */
  join(session: RoomListener): void {
    this.sessions.add(session);
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

  leave(session: RoomListener): void {
    const { presence, limits } = this.ports;
    this.sessions.delete(session);
    if (this.#present.delete(session)) {
      const released = presence.release(this.key, session.lease, limits.GRACE_MS);
      this.#needs.inBackground(
        "releasing a lease",
        released.then(() => this.hintPresence()),
      );
    }
    if (this.sessions.size > 0 || this.#isClosed) return;
    this.#cancelBeat?.();
    this.#cancelBeat = undefined;
    this.presence.stop();
    this.keep(this.ports.limits.GRACE_MS);
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
      renewed.then(() => this.presence.touch()),
    );
    for (const session of [...this.sessions]) session.recheckIfDue();
  }

  #hear(message: BusMessage): void {
    if (this.#isClosed) return;
    if (message.kind === "message") this.log.hear(message.event);
    else if (message.kind === "passing") this.#hearPassing(message);
    else if (message.kind === "presence") this.presence.touch();
    else for (const session of [...this.sessions]) session.recheck();
  }

  #hearPassing(message: BusMessage & { kind: "passing" }): void {
    const { event, from, after } = message;
    const { ports, replies } = this.#needs;
    if (event.type !== "typing" && from !== ports.nodeId) replies.note(this.key, event, false);
    if (!this.log.isLoaded) return;
    if (after > this.ring.head) {
      this.#held.push(message);
      this.log.noticeHead(after);
    } else {
      this.#tell(event, message.except);
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
    for (const session of [...this.sessions]) {
      if (session.view && session.lease.participant.id !== except) session.offer(tracked);
    }
  }

  #tellPresence(view: PresenceView): void {
    // All who were told the same hear the same object; newcomers hear the rest of their own.
    const changes = new Map<PresenceView, TrackedRoomEvent | undefined>();
    for (const session of [...this.sessions]) {
      const told = session.view;
      if (!told) continue;
      if (!changes.has(told)) {
        const event = presenceChange(told, view);
        changes.set(told, event && this.track(event, this.ring.head));
      }
      session.view = view;
      const change = changes.get(told);
      if (change) session.offer(change);
    }
  }

  repliesInProgress(): ReplyInProgress[] {
    return this.#needs.replies.list(this.key);
  }
}
