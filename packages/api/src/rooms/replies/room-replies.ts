import type { ReplyEvent } from "../room-events.ts";
import type { ReplyStore } from "./reply-store.ts";
import type { ReplyTracker } from "./reply-tracker.ts";

interface RepliesOptions {
  roomKey: string;
  tracker: ReplyTracker;
  store: ReplyStore | undefined;
  /** Called with each event that the bus lost and the reply store contained. */
  onMissed: (event: ReplyEvent) => void;
}

/** Reconciles the tracked replies of one room with the reply store. */
export class RoomReplies {
  readonly #options: RepliesOptions;
  #reading: Promise<void> | undefined;
  #isStale = false;
  #isStopped = false;

  constructor(options: RepliesOptions) {
    this.#options = options;
  }

  /**
   * Reads the reply store. A call during a read causes a second read after the first, and awaits
   * both.
   */
  async catchUp(): Promise<void> {
    const { store } = this.#options;
    this.#isStale = true;
    // Another call may have started the second read already. This call awaits that read too.
    while (store && (this.#isStale || this.#reading) && !this.#isStopped) {
      this.#reading ??= this.#read(store).finally(() => {
        this.#reading = undefined;
      });
      await this.#reading;
    }
  }

  async #read(store: ReplyStore): Promise<void> {
    const { tracker, roomKey, onMissed } = this.#options;
    this.#isStale = false;
    const stored = await store.list(roomKey);
    if (this.#isStopped || !stored) return;
    for (const event of tracker.reconcile(roomKey, stored)) onMissed(event);
  }

  stop(): void {
    this.#isStopped = true;
  }
}
