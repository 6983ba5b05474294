import type { RoomPorts } from "./room-ports.ts";

/**
 * That anybody may enter a room, and whose it is, as somebody has just read it in the database: kept,
 * so that those who ask again and again cost no query. Whoever shuts a room says so over the bus;
 * where that is lost, it is read anew as often as the rights of those who listen (docs/decisions/0016).
 */
export class OpenDoor {
  readonly #ports: RoomPorts;
  /** Null: nobody has written in it yet. Undefined: who may enter has to be read. */
  #owner: string | null | undefined;
  #readAt = 0;
  #closings = 0;
  #reading: Promise<void> | undefined;
  readonly #isBegun: () => boolean;

  /** @param isBegun somebody has written in the room */
  constructor(ports: RoomPorts, isBegun: () => boolean) {
    this.#ports = ports;
    this.#isBegun = isBegun;
  }

  /** The room's owner; undefined: who may enter has to be read. */
  get owner(): string | undefined {
    return this.ownerWithin(this.#ports.limits.RECHECK_MS) ?? undefined;
  }

  /**
   * Whose it is, where that was read within these ms. Null: nobody's, since nobody has written in it;
   * undefined: who may enter has to be read.
   */
  ownerWithin(ms: number): string | null | undefined {
    if (this.#ports.timers.now() - this.#readAt >= ms) return undefined;
    // It is theirs who wrote first.
    return this.#owner === null && this.#isBegun() ? undefined : this.#owner;
  }

  /** Begin before reading: what is shut meanwhile is not kept open by an answer from before. */
  beginReading(): (owner: string | null) => void {
    const closings = this.#closings;
    const readAt = this.#ports.timers.now();
    return (owner) => {
      if (closings !== this.#closings) return;
      this.#owner = owner;
      this.#readAt = readAt;
    };
  }

  /** Lets those who come while it is being read wait for that, rather than each read it as well. */
  share(reading: Promise<unknown>): void {
    const settled = reading.then(ignore, ignore).then(() => {
      if (this.#reading === settled) this.#reading = undefined;
    });
    this.#reading = settled;
  }

  /** Somebody is reading it; how that came out, `ownerWithin` says. */
  get reading(): Promise<void> | undefined {
    return this.#reading;
  }

  /** It may have been shut. */
  forget(): void {
    this.#closings += 1;
    this.#owner = undefined;
  }
}

const ignore = () => undefined;
