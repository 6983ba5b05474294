import type { RoomLine, RoomMessage, RoomSettings } from "../room-events.ts";

/** The end of a room's log: its newest message and its last change. Both are 0 at first. */
export interface LogEnd {
  head: number;
  revision: number;
}

/** What one statement read of a room: all parts are of the same moment. */
export interface RoomSnapshot<Message extends RoomLine> {
  revision: number;
  /** Undefined if the room's soul was deleted. */
  room: RoomSettings | undefined;
  messages: readonly Message[];
}

/**
 * The persisted logs of all rooms. The message ids of a room increase in commit order, and a
 * message can be read before it is published. All lists are in ascending order of ids, except
 * those of changes.
 */
export interface RoomLog {
  /** Reads a room's settings and its newest messages. */
  load(roomKey: string, limit: number): Promise<RoomSnapshot<RoomMessage>>;
  newest(roomKey: string, limit: number): Promise<readonly RoomMessage[]>;
  after(roomKey: string, id: number, limit: number): Promise<readonly RoomMessage[]>;
  /** Returns the number of messages after the message with this id, but at most `limit`. */
  countAfter(roomKey: string, id: number, limit: number): Promise<number>;
  /**
   * Reads a room's settings and the messages that changed after `revision`, lowest revision first.
   */
  changes(roomKey: string, revision: number, limit: number): Promise<RoomSnapshot<RoomLine>>;
  /** Log ends by room; absent for an empty room. Called only on a lossy bus. */
  heads(roomKeys: readonly string[]): Promise<ReadonlyMap<string, LogEnd>>;
}
