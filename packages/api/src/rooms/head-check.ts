import type { RoomPorts } from "./ports/room-ports.ts";
import type { Room } from "./room.ts";
import type { Cancel } from "./room-timers.ts";

interface HeadCheckOptions {
  ports: RoomPorts;
  /** The active rooms of this server, by key. */
  rooms: ReadonlyMap<string, Room>;
  /** Runs work that no caller awaits, and reports its failure. */
  inBackground: (doing: string, work: Promise<unknown>) => void;
}

/**
 * Compares all active rooms with the log every HEAD_CHECK_MS, in one query. It finds messages,
 * changes and deletions that the bus has lost (0016).
 */
export class HeadCheck {
  readonly #options: HeadCheckOptions;
  #cancel: Cancel | undefined;
  #isStopped = false;

  constructor(options: HeadCheckOptions) {
    this.#options = options;
  }

  /** Starts to check, until no room is active. Without effect on a bus that loses nothing. */
  start(): void {
    const { ports } = this.#options;
    if (ports.bus.lossless || this.#isStopped) return;
    this.#cancel ??= ports.timers.after(ports.limits.HEAD_CHECK_MS, () => {
      this.#cancel = undefined;
      if (this.#options.rooms.size === 0) return;
      this.start();
      this.run();
    });
  }

  /** Checks now. */
  run(): void {
    const { rooms, inBackground } = this.#options;
    if (rooms.size > 0) inBackground("checking the heads of rooms", this.#check());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  async #check(): Promise<void> {
    const { ports, rooms } = this.#options;
    const known = [...rooms.values()].map((room) => {
      const { buffer, revisions } = room;
      return { room, head: buffer.head, revision: revisions.revision };
    });
    const ends = await ports.log.heads([...rooms.keys()]);
    for (const { room, ...held } of known) {
      const { head, revision } = ends.get(room.key) ?? { head: 0, revision: 0 };
      // Neither number of a log decreases. This log was deleted, and perhaps begun anew.
      if (head < held.head || revision < held.revision) room.forgetLog();
      else {
        room.log.noticeHead(head);
        room.revisions.notice(revision);
      }
    }
  }
}
