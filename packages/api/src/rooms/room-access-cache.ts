import type { RoomPorts } from "./ports/room-ports.ts";

/** The access to a room that is open to every caller but those banned from it. */
interface OpenAccess {
  /** The room's owner. Null: the room has no message and no owner. */
  owner: string | null;
  /** The ids of the participants who may not enter. */
  banned: ReadonlySet<string>;
}

/**
 * Caches the access to an open room, so that polls and joins need no query. A server that restricts
 * access to the room sends a recheck over the bus. The recheck clears the cache (0016).
 */
export class RoomAccessCache {
  readonly #ports: RoomPorts;
  #access: OpenAccess | undefined;
  #readAt = 0;
  /** Counts the calls of `forget`: a read that began before such a call stores nothing. */
  #generation = 0;
  #reading: Promise<void> | undefined;
  readonly #hasMessages: () => boolean;

  constructor(ports: RoomPorts, hasMessages: () => boolean) {
    this.#ports = ports;
    this.#hasMessages = hasMessages;
  }

  /**
   * Returns the cached access to an open room, if it was read within the last `ms`.
   * @returns undefined if not cached
   */
  within(ms: number): OpenAccess | undefined {
    if (this.#ports.timers.now() - this.#readAt >= ms) return undefined;
    // The author of the first message owns the room, so an entry without an owner is outdated.
    return this.#access?.owner === null && this.#hasMessages() ? undefined : this.#access;
  }

  /**
   * Stores the access that a read of the tables finds, unless the cache was cleared meanwhile.
   * Concurrent callers await that read. Call this function in the turn that begins the read.
   * @param accessOf returns undefined for a room that is not open to every caller
   */
  store<Read>(read: Promise<Read>, accessOf: (read: Read) => OpenAccess | undefined): void {
    const generation = this.#generation;
    const readAt = this.#ports.timers.now();
    const keep = (result: Read) => {
      const access = accessOf(result);
      if (!access || generation !== this.#generation) return;
      this.#access = access;
      this.#readAt = readAt;
    };
    const reading = read
      .then(keep, () => undefined)
      .then(() => {
        if (this.#reading === reading) this.#reading = undefined;
      });
    this.#reading = reading;
  }

  /** Settles when the shared read ends, after which `within` has its result. */
  get reading(): Promise<void> | undefined {
    return this.#reading;
  }

  /**
   * Clears the cache if the room belongs to a participant or its owner is not known: the owner may
   * have blocked a participant (0064).
   * @returns false if another participant owns the room
   */
  forgetIfOwnedBy(ownerId: string): boolean {
    if (this.#access && this.#access.owner !== null && this.#access.owner !== ownerId) return false;
    this.forget();
    return true;
  }

  /** Clears the cache, since the room may no longer be open to every caller. */
  forget(): void {
    this.#generation += 1;
    this.#access = undefined;
  }
}
