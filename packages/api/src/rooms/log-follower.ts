import { MessageRing } from "./message-ring.ts";
import type { MessageEvent, RoomMessage } from "./room-events.ts";
import type { RoomPorts } from "./room-ports.ts";
import type { Cancel } from "./room-timers.ts";

interface FollowerNeeds {
  roomKey: string;
  ports: RoomPorts;
  /** The ring has grown. */
  onGrown: () => void;
  /** Nothing known to exist is missing any more. */
  onWhole: () => void;
}

/** Keeps the ring of one room equal to the end of the log, whatever the bus loses. */
export class LogFollower {
  readonly ring: MessageRing;
  readonly #needs: FollowerNeeds;
  #isLoaded = false;
  #isStopped = false;
  /** The newest message known to exist. Above the ring's head there is a hole to fill. */
  #wantedId = 0;
  #repairing: Promise<void> | undefined;
  #cancelRetry: Cancel | undefined;

  constructor(needs: FollowerNeeds) {
    const { RING_MESSAGES, RING_CHARS } = needs.ports.limits;
    this.#needs = needs;
    this.ring = new MessageRing({ messages: RING_MESSAGES, chars: RING_CHARS });
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** The newest message of the room; undefined while only the log can say. */
  get knownHead(): number | undefined {
    return this.#isLoaded && this.#wantedId <= this.ring.head ? this.ring.head : undefined;
  }

  async load(): Promise<void> {
    const { roomKey, ports } = this.#needs;
    this.ring.load(await ports.log.newest(roomKey, ports.limits.RING_MESSAGES));
    this.#isLoaded = true;
    await this.readUpTo(this.#wantedId);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRetry?.();
  }

  /** A message came through the bus. */
  hear(event: MessageEvent): void {
    if (this.#isLoaded && event.id <= this.ring.head) return;
    // Without this check a message the bus lost would be missing for ever: the log fills the hole.
    if (this.#isLoaded && event.prev_id === this.ring.head) {
      this.ring.append(event);
      this.#needs.onGrown();
    } else {
      this.noticeHead(event.id);
    }
  }

  /** The log holds a message with this id; reads on when it has not come through the bus. */
  noticeHead(id: number): void {
    this.#wantedId = Math.max(this.#wantedId, id);
    if (!this.#isLoaded || this.#isStopped) return;
    const { timers, limits, onError } = this.#needs.ports;
    this.readUpTo(id).catch((error) => {
      onError(error, "reading a room's log");
      if (this.#isStopped) return;
      this.#cancelRetry ??= timers.after(limits.RETRY_MS, () => {
        this.#cancelRetry = undefined;
        this.noticeHead(this.#wantedId);
      });
    });
  }

  async readUpTo(id: number): Promise<void> {
    this.#wantedId = Math.max(this.#wantedId, id);
    if (this.#wantedId <= this.ring.head) return;
    this.#repairing ??= this.#readOn().finally(() => {
      this.#repairing = undefined;
    });
    await this.#repairing;
  }

  async #readOn(): Promise<void> {
    const { roomKey, ports, onWhole } = this.#needs;
    while (!this.#isStopped && this.#wantedId > this.ring.head) {
      const wanted = this.#wantedId;
      const messages = await ports.log.after(roomKey, this.ring.head, ports.limits.PAGE_MESSAGES);
      this.#take(messages);
      // The log knows better than whoever claimed that there is more.
      if (messages.length === 0 && this.#wantedId === wanted) this.#wantedId = this.ring.head;
    }
    onWhole();
  }

  #take(messages: readonly RoomMessage[]): void {
    for (const message of messages) {
      // The bus may have brought some of them meanwhile.
      if (message.id > this.ring.head) this.ring.append(message);
    }
    this.#needs.onGrown();
  }
}
