import { isDeepStrictEqual } from "node:util";
import type { RoomSnapshot } from "../ports/room-log.ts";
import type { RoomPorts } from "../ports/room-ports.ts";
import type { RoomChange, RoomSettings, SoulInRoom } from "../room-events.ts";
import type { Cancel } from "../room-timers.ts";
import type { LogFollower } from "./log-follower.ts";

interface FollowerOptions {
  roomKey: string;
  ports: RoomPorts;
  log: LogFollower;
  /** Called with each change, once the room's buffer contains it. */
  onChanged: (change: RoomChange) => void;
}

/**
 * Keeps the settings of one room and the messages of its buffer at the room's revision, although
 * the bus may lose changes (0039).
 */
export class RevisionFollower {
  readonly #options: FollowerOptions;
  #revision = 0;
  #room: RoomSettings | undefined;
  #isLoaded = false;
  #isStopped = false;
  /** The newest known revision. If it exceeds `revision`, this server lacks changes. */
  #known = 0;
  #isReading = false;
  /** True if the settings may have changed since the last read began. */
  #isStale = false;
  #cancelRetry: Cancel | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  get revision(): number {
    return this.#revision;
  }

  /** The room's revision. Undefined while this server may lack changes. */
  get knownRevision(): number | undefined {
    return this.#isLoaded && this.#known <= this.#revision ? this.#revision : undefined;
  }

  /** The room's settings; undefined before they were read. */
  get room(): RoomSettings | undefined {
    return this.#room && { ...this.#room, revision: this.#revision };
  }

  load({ revision, room }: Pick<RoomSnapshot<never>, "revision" | "room">): void {
    this.#revision = revision;
    this.#room = room;
    this.#isLoaded = true;
    void this.#readAll();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRetry?.();
  }

  /** Applies a change from the bus, or reads the log if an earlier change or a message is missing. */
  receive(change: RoomChange): void {
    if (this.#isLoaded && change.revision <= this.#revision) return;
    const { buffer } = this.#options.log;
    const isHeld = (change.messages ?? []).every(({ id }) => id <= buffer.head);
    // If `prev_revision` is not this server's revision, the bus has lost or delayed a change.
    const isNext = this.#isLoaded && change.prev_revision === this.#revision;
    if (isNext && isHeld) this.#apply(change);
    else this.notice(change.revision);
  }

  /** Reads the changes in the background, if this server does not have them up to `revision`. */
  notice(revision: number): void {
    this.#known = Math.max(this.#known, revision);
    void this.#readAll();
  }

  /** Reads the settings again in the background: they may have changed without a revision. */
  refresh(): void {
    this.#isStale = true;
    void this.#readAll();
  }

  /** Reads the settings again, if this soul is in the room. A change of a soul has no revision. */
  refreshSoul(soulId: number): void {
    // A room that is being loaded may have read its souls before the change.
    const isInRoom = !this.#isLoaded || this.#room?.souls.some(({ soul_id }) => soul_id === soulId);
    if (isInRoom) this.refresh();
  }

  get #isBehind(): boolean {
    const isBehind = this.#isStale || this.#known > this.#revision;
    return isBehind && this.#isLoaded && !this.#isStopped;
  }

  /** Reads until nothing is missing. Of two reads at once, the one that began first could end last. */
  async #readAll(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isBehind) await this.#readOnce();
    } catch (error) {
      this.#retryAfter(error);
    } finally {
      this.#isReading = false;
    }
  }

  async #readOnce(): Promise<void> {
    const { roomKey, ports, log } = this.#options;
    const limit = ports.limits.CHANGED_MESSAGES;
    const since = this.#revision;
    const wanted = this.#known;
    const wasStale = this.#isStale;
    this.#isStale = false;
    const read = await ports.log.changes(roomKey, since, limit);
    // A message that the buffer lacks may still arrive in its former state. It is read first.
    const newest = Math.max(0, ...read.messages.map(({ id }) => id));
    if (newest > 0) await log.readUpTo(newest);
    if (this.#isStopped) return;
    const last = read.messages.length < limit ? undefined : read.messages.at(-1)?.revision;
    const revision = last ?? read.revision;
    const prev_revision = this.#revision;
    if (revision > prev_revision) {
      // The bus may have delivered some of the changes during the read.
      const messages = read.messages.filter((line) => (line.revision ?? 0) > prev_revision);
      this.#apply({ revision, prev_revision, messages, ...(read.room && { room: read.room }) });
      return;
    }
    const { room } = read;
    if (read.revision === prev_revision) {
      const isNew = room && !isDeepStrictEqual(room, this.room);
      if (isNew) this.#apply({ revision: prev_revision, prev_revision, room });
    } else if (prev_revision > since) {
      // The settings that the bus has delivered meanwhile may hold a soul's earlier state.
      this.#isStale ||= wasStale;
    }
    // The log has no such revision, so the number that a client gave was wrong.
    if (prev_revision === since && wanted === this.#known) this.#known = since;
  }

  #retryAfter(error: unknown): void {
    if (this.#isStopped) return;
    const { timers, limits, onError } = this.#options.ports;
    onError(error, "reading the changes of a room");
    // The failed read may have been one of the settings.
    this.#isStale = true;
    this.#cancelRetry ??= timers.after(limits.RETRY_MS, () => {
      this.#cancelRetry = undefined;
      void this.#readAll();
    });
  }

  #apply(change: RoomChange): void {
    this.#options.log.buffer.amend(change.messages ?? []);
    const isAdded = ({ soul_id }: SoulInRoom) =>
      !this.#room?.souls.some((known) => known.soul_id === soul_id);
    // Until now, a change of an added soul was none of this room.
    if (change.room?.souls.some(isAdded)) this.refresh();
    this.#revision = change.revision;
    this.#room = change.room ?? this.#room;
    this.#options.onChanged(change);
  }
}
