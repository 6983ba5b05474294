import type { RoomPorts } from "./room-ports.ts";

/**
 * That anybody may enter a room, and whose it is, as somebody has just read it in the database: kept,
 * so that those who ask again and again cost no query. Whoever shuts a room says so over the bus;
 * where that is lost, it is read anew as often as the rights of those who listen (docs/decisions/0016).
 */
export class OpenDoor {
  readonly #ports: RoomPorts;
  #owner: string | undefined;
  #readAt = 0;
  #closings = 0;

  constructor(ports: RoomPorts) {
    this.#ports = ports;
  }

  /** The room's owner; undefined: who may enter has to be read. */
  get owner(): string | undefined {
    const { timers, limits } = this.#ports;
    if (timers.now() - this.#readAt >= limits.RECHECK_MS) this.#owner = undefined;
    return this.#owner;
  }

  /** Begin before reading: what is shut meanwhile is not kept open by an answer from before. */
  beginReading(): (owner: string) => void {
    const closings = this.#closings;
    const readAt = this.#ports.timers.now();
    return (owner) => {
      if (closings !== this.#closings) return;
      this.#owner = owner;
      this.#readAt = readAt;
    };
  }

  /** It may have been shut. */
  forget(): void {
    this.#closings += 1;
    this.#owner = undefined;
  }
}
