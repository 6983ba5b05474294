import type { RoomMessage } from "./room-events.ts";

/**
 * The durable log of the rooms, as the live part reads it. Ids of a room increase in commit
 * order, and a message is readable before it is published. All lists come oldest first.
 */
export interface RoomLog {
  newest(roomKey: string, limit: number): Promise<readonly RoomMessage[]>;
  after(roomKey: string, id: number, limit: number): Promise<readonly RoomMessage[]>;
  /** How many messages are newer than `id`, counted no further than `limit`. */
  countAfter(roomKey: string, id: number, limit: number): Promise<number>;
  /** The newest id of each room, 0 or absent when it has none. Asked only on a lossy bus. */
  heads(roomKeys: readonly string[]): Promise<ReadonlyMap<string, number>>;
}
