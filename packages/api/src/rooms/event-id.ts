import type { RoomEvent } from "./room-events.ts";

/** An event with its tracking id. All sessions of a room share the object, which is encoded once. */
export interface TrackedRoomEvent {
  readonly id: string;
  readonly event: RoomEvent;
  /**
   * For a message event, the message's id. Otherwise the id of the message that the event follows.
   */
  readonly position: number;
}

/** Returns a transient event's tracking id. A client that resumes with it continues at `cursor`. */
export function transientId(cursor: number, nodeId: string, n: number): string {
  return `${cursor}.${nodeId}.${n}`;
}

/** Returns the cursor in a tracking id, transient or not; undefined if the id is malformed. */
export function cursorOf(lastEventId: string): number | undefined {
  const digits = /^(\d{1,16})(?:\.[\w-]+\.\d+)?$/.exec(lastEventId)?.[1];
  const cursor = Number(digits);
  return Number.isSafeInteger(cursor) ? cursor : undefined;
}
