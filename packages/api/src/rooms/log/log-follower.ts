import type { FormerMessageEvent } from "../bus/room-bus.ts";
import type { RoomPorts } from "../ports/room-ports.ts";
import type { MessageEvent, RoomMessage } from "../room-events.ts";
import type { Cancel } from "../room-timers.ts";
import { MessageBuffer } from "./message-buffer.ts";

interface FollowerOptions {
  roomKey: string;
  ports: RoomPorts;
  /** Called after a message was appended to the room's buffer, and after each read of the log. */
  onAppended: () => void;
  /** Called when the log is another one: the former log was deleted, and a new one has begun. */
  onReplaced: () => void;
  /** Called whenever the room's buffer holds the newest message that this server knows of. */
  onCaughtUp: () => void;
}

/** Keeps the buffer of one room equal to the end of the log, although the bus may lose messages. */
export class LogFollower {
  readonly buffer: MessageBuffer;
  readonly #options: FollowerOptions;
  #isLoaded = false;
  #isStopped = false;
  /** The newest known message id. If it exceeds the buffer's head, the buffer lacks messages. */
  #knownId = 0;
  /** Counts the calls of `readUpTo`: a read may lack the message of a call that began later. */
  #requests = 0;
  #reading: Promise<void> | undefined;
  #cancelRetry: Cancel | undefined;

  constructor(options: FollowerOptions) {
    const { BUFFER_MESSAGES, BUFFER_CHARS } = options.ports.limits;
    this.#options = options;
    this.buffer = new MessageBuffer({ messages: BUFFER_MESSAGES, chars: BUFFER_CHARS });
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** The id of the room's newest message. Undefined while the buffer may lack messages. */
  get knownHead(): number | undefined {
    return this.#isLoaded && this.#knownId <= this.buffer.head ? this.buffer.head : undefined;
  }

  /** Starts with the room's newest messages, as many as the buffer may hold. */
  async load(newest: readonly RoomMessage[]): Promise<void> {
    this.buffer.load(newest);
    this.#isLoaded = true;
    await this.readUpTo(this.#knownId);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRetry?.();
  }

  /** Appends a message from the bus, or reads the log if an earlier message is missing. */
  receive(event: MessageEvent | FormerMessageEvent): void {
    if (this.#isLoaded && event.id <= this.buffer.head) return;
    // A later message of the same log has this server's head, or a later one, before it.
    if (this.#isLoaded && event.prev_id < this.buffer.head) {
      this.#options.onReplaced();
      return;
    }
    // If `prev_id` is not the buffer's head, the bus has lost or delayed a message. A message of a
    // server of schema 2 is read from the log, too, because it does not tell its parent.
    const isNext = this.#isLoaded && event.prev_id === this.buffer.head;
    if (isNext && event.parent_id !== undefined) {
      this.buffer.append(event);
      this.#options.onAppended();
    } else {
      this.noticeHead(event.id);
    }
  }

  /** Reads the log in the background if the buffer does not hold the message with this id yet. */
  noticeHead(id: number): void {
    this.#knownId = Math.max(this.#knownId, id);
    if (!this.#isLoaded || this.#isStopped) return;
    const { timers, limits, onError } = this.#options.ports;
    this.readUpTo(id).catch((error) => {
      onError(error, "reading a room's log");
      if (this.#isStopped) return;
      this.#cancelRetry ??= timers.after(limits.RETRY_MS, () => {
        this.#cancelRetry = undefined;
        this.noticeHead(this.#knownId);
      });
    });
  }

  /**
   * Reads the log until the buffer holds the message `id`, or the log ends. Concurrent calls share
   * their reads.
   */
  async readUpTo(id: number): Promise<void> {
    this.#knownId = Math.max(this.#knownId, id);
    this.#requests += 1;
    while (!this.#isStopped && this.#knownId > this.buffer.head) {
      this.#reading ??= this.#readPage().finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
    // Even without a read, the bus may have delivered the messages that were missing.
    this.#options.onCaughtUp();
  }

  async #readPage(): Promise<void> {
    const { roomKey, ports, onAppended, onReplaced } = this.#options;
    const requests = this.#requests;
    const { head } = this.buffer;
    const messages = await ports.log.after(roomKey, head, ports.limits.PAGE_MESSAGES);
    if (messages[0] && messages[0].prev_id !== head) return onReplaced();
    for (const message of messages) {
      // Skips messages that the bus has delivered during the read.
      if (message.id > this.buffer.head) this.buffer.append(message);
    }
    onAppended();
    // The log holds no message after the buffer's head, so the id that a client gave was wrong.
    if (messages.length === 0 && requests === this.#requests) this.#knownId = this.buffer.head;
  }
}
