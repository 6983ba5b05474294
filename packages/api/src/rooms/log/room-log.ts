import type { RoomMessage } from "../room-events.ts";

/**
 * The persisted logs of all rooms. The message ids of a room increase in commit order, and a
 * message can be read before it is published. All lists are in ascending order of ids.
 */
export interface RoomLog {
  newest(roomKey: string, limit: number): Promise<readonly RoomMessage[]>;
  after(roomKey: string, id: number, limit: number): Promise<readonly RoomMessage[]>;
  /** Returns the number of messages after the message with this id, but at most `limit`. */
  countAfter(roomKey: string, id: number, limit: number): Promise<number>;
  /** Newest message ids by room; 0 or absent for an empty room. Called only on a lossy bus. */
  heads(roomKeys: readonly string[]): Promise<ReadonlyMap<string, number>>;
}
