import type { ReplyBoard } from "./reply-board.ts";
import type { ReplyStore } from "./reply-store.ts";
import type { ReplyEvent } from "./room-events.ts";

interface RepliesNeeds {
  roomKey: string;
  board: ReplyBoard;
  store: ReplyStore | undefined;
  /** Something that the bus did not bring. */
  onNews: (event: ReplyEvent) => void;
}

/** Brings what the board knows of one room's replies up to what the store holds. */
export class RoomReplies {
  readonly #needs: RepliesNeeds;
  #reading: Promise<void> | undefined;
  #missedMore = false;
  #isStopped = false;

  constructor(needs: RepliesNeeds) {
    this.#needs = needs;
  }

  catchUp(): Promise<void> {
    this.#missedMore = true;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { board, store, roomKey, onNews } = this.#needs;
    // What is heard while the store is asked may be newer than its answer.
    while (store && this.#missedMore && !this.#isStopped) {
      this.#missedMore = false;
      const stored = await store.list(roomKey);
      if (this.#isStopped || !stored) return;
      for (const event of board.merge(roomKey, stored)) onNews(event);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}
