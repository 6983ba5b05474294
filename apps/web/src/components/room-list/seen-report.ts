import { hub } from "../../hub.ts";
import { invalidate, myChats, queryClient, type RoomName } from "../../queries.ts";
import { isSameRoom } from "../ui/open-room.ts";
import { Throttle } from "./throttle.ts";

const INTERVAL_MS = 2_000;

/** Tells the hub up to which message the member has seen one room. It never goes back. */
export class SeenReport {
  readonly #room: RoomName;
  readonly #throttle = new Throttle(() => void this.#send(), INTERVAL_MS);
  #seen = 0;
  /** The last message of which the hub knows that the member has seen it. */
  #stored = 0;
  #sending: Promise<void> = Promise.resolve();

  constructor(room: RoomName) {
    this.#room = room;
  }

  see(id: number): void {
    // The list may come from a request that was made before the report.
    if (id <= this.#stored) this.#clearCounts();
    if (id <= this.#seen) return;
    this.#seen = id;
    this.#throttle.request();
  }

  /** Sends the last report when the member leaves the room, and updates the list. */
  async close(): Promise<void> {
    this.#throttle.flush();
    // An answer that is under way may be older than what the member has seen.
    await queryClient.cancelQueries({ queryKey: myChats.queryKey });
    this.#clearCounts();
    await this.#sending;
    await invalidate(myChats.queryKey);
  }

  #send(): Promise<void> {
    const id = this.#seen;
    this.#sending = hub.rooms.seen.mutate({ ...this.#room, id }).then(
      () => {
        this.#stored = id;
        // The hub counts again from 0, so the next mention exceeds the listed count. Of a part of
        // the unread messages, only the hub knows how many are left.
        if (!this.#clearCounts()) void invalidate(myChats.queryKey);
      },
      () => {
        // Without a connection the hub learns it with the next message or visit.
        if (this.#seen === id) this.#seen = 0;
      },
    );
    return this.#sending;
  }

  /**
   * Sets the counts of the listed room to 0 if the member has seen its last message.
   * @returns whether the member has
   */
  #clearCounts(): boolean {
    let isAll = false;
    queryClient.setQueryData(myChats.queryKey, (list) => {
      const isSeen = (id: number | undefined) => id !== undefined && id <= this.#seen;
      const cleared = (room: NonNullable<typeof list>["sessions"][number]) => {
        if (!isSameRoom(room, this.#room) || !isSeen(room.last_message?.id)) return room;
        isAll = true;
        return { ...room, unread: 0, mentions: 0 };
      };
      return list && { ...list, sessions: list.sessions.map(cleared) };
    });
    return isAll;
  }
}
