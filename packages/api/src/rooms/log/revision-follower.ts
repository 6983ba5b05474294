import { isDeepStrictEqual } from "node:util";
import type { RoomSnapshot } from "../ports/room-log.ts";
import type { RoomPorts } from "../ports/room-ports.ts";
import type { RoomChange, RoomSettings } from "../room-events.ts";
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
  #reading: Promise<void> | undefined;
  /** True if the settings may have changed since the last read of them began. */
  #isStale = false;
  #refreshing: Promise<void> | undefined;
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
    this.notice(this.#known);
    if (this.#isStale) this.refresh();
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
    if (!this.#isLoaded || this.#isStopped || this.#known <= this.#revision) return;
    const { timers, limits, onError } = this.#options.ports;
    this.#reading ??= this.#readAll()
      .catch((error) => {
        onError(error, "reading the changes of a room");
        if (this.#isStopped) return;
        this.#cancelRetry ??= timers.after(limits.RETRY_MS, () => {
          this.#cancelRetry = undefined;
          this.notice(this.#known);
        });
      })
      .finally(() => {
        this.#reading = undefined;
      });
  }

  async #readAll(): Promise<void> {
    const { roomKey, ports, log } = this.#options;
    const limit = ports.limits.CHANGED_MESSAGES;
    while (!this.#isStopped && this.#known > this.#revision) {
      const wanted = this.#known;
      const read = await ports.log.changes(roomKey, this.#revision, limit);
      // A message that the buffer lacks may still arrive in its former state. It is read first.
      await log.readUpTo(Math.max(0, ...read.messages.map(({ id }) => id)));
      const last = read.messages.length < limit ? undefined : read.messages.at(-1)?.revision;
      const revision = last ?? read.revision;
      // The bus may have delivered some of the changes during the read.
      const prev_revision = this.#revision;
      if (revision > prev_revision) {
        const messages = read.messages.filter((line) => (line.revision ?? 0) > prev_revision);
        this.#apply({ revision, prev_revision, messages, ...(read.room && { room: read.room }) });
      } else if (last === undefined && wanted === this.#known) {
        // The log has no such revision, so the number that a client gave was wrong. A full page shows
        // nothing, since the bus may have delivered its changes during the read.
        this.#known = prev_revision;
      }
    }
  }

  /**
   * Reads the settings again in the background: a title or a soul has changed, without a revision.
   * Reads run one after the other, since an earlier read may end last.
   */
  refresh(): void {
    this.#isStale = true;
    this.#refreshing ??= this.#readSettings()
      .catch((error) => this.#options.ports.onError(error, "reading the settings of a room"))
      .finally(() => {
        this.#refreshing = undefined;
      });
  }

  async #readSettings(): Promise<void> {
    const { roomKey, ports } = this.#options;
    while (this.#isStale && this.#isLoaded && !this.#isStopped) {
      this.#isStale = false;
      const { room } = await ports.log.changes(roomKey, this.#revision, 0);
      if (!room || this.#isStopped) return;
      const { revision } = room;
      if (revision !== this.#revision) this.notice(revision);
      else if (!isDeepStrictEqual(room, this.room)) {
        this.#apply({ revision, prev_revision: revision, room });
      }
    }
  }

  #apply(change: RoomChange): void {
    this.#options.log.buffer.amend(change.messages ?? []);
    this.#revision = change.revision;
    this.#room = change.room ?? this.#room;
    this.#options.onChanged(change);
  }
}
