import type { Room } from "./room.ts";
import type { RoomServer } from "./room-server.ts";
import type { Cancel } from "./room-timers.ts";

/**
 * Compares all active rooms with the log every HEAD_CHECK_MS, in one query. It finds messages,
 * changes and deletions that the bus has lost (0016).
 */
export class HeadCheck {
  readonly #server: RoomServer;
  readonly #rooms: ReadonlyMap<string, Room>;
  #cancel: Cancel | undefined;
  #isStopped = false;

  /** @param rooms the active rooms of this server, by key */
  constructor(server: RoomServer, rooms: ReadonlyMap<string, Room>) {
    this.#server = server;
    this.#rooms = rooms;
  }

  /** Starts to check, until no room is active. Without effect on a bus that loses nothing. */
  start(): void {
    const { ports } = this.#server;
    if (ports.bus.lossless || this.#isStopped) return;
    this.#cancel ??= ports.timers.after(ports.limits.HEAD_CHECK_MS, () => {
      this.#cancel = undefined;
      if (this.#rooms.size === 0) return;
      this.start();
      this.run();
    });
  }

  /** Checks now. */
  run(): void {
    if (this.#rooms.size === 0) return;
    this.#server.inBackground("checking the heads of rooms", this.#check());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  async #check(): Promise<void> {
    const known = [...this.#rooms.values()].map((room) => {
      const { buffer, revisions } = room;
      return { room, head: buffer.head, revision: revisions.revision };
    });
    const ends = await this.#server.ports.log.heads([...this.#rooms.keys()]);
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
