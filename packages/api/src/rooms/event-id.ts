import type { RoomEvent } from "./room-events.ts";

/**
 * One event as every session of a room gets it: the same object for all, so that it can be
 * encoded once. `position` is the durable message it stands behind (its own id for a message).
 */
export interface TrackedRoomEvent {
  readonly id: string;
  readonly event: RoomEvent;
  readonly position: number;
}

/** The tracking id of a passing event. A client that comes back with it resumes at `cursor`. */
export function passingId(cursor: number, nodeId: string, n: number): string {
  return `${cursor}.${nodeId}.${n}`;
}

/** The cursor in a tracking id of either form; undefined when it is neither. */
export function cursorOf(lastEventId: string): number | undefined {
  const digits = /^(\d{1,16})(?:\.[\w-]+\.\d+)?$/.exec(lastEventId)?.[1];
  const cursor = Number(digits);
  return Number.isSafeInteger(cursor) ? cursor : undefined;
}
