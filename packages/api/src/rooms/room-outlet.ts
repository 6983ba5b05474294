import type { TrackedRoomEvent } from "./event-id.ts";

/**
 * Where a session's events go without being asked for: a socket that takes ready bytes. What is
 * the same for many is made once: the text of an event for all outlets of a room, the frames of
 * one turn for all outlets of one wording.
 */
export interface RoomOutlet {
  /** Names what its frames have of their own. Undefined: it takes none, and is asked for events. */
  readonly wording: string | undefined;
  textOf(event: TrackedRoomEvent): string;
  /** The texts as this outlet words them, each in a frame, one after the other. */
  framesOf(texts: readonly string[]): Uint8Array;
  write(frames: Uint8Array): void;
  /** Bytes written that wait for the reader. */
  readonly unsent: number;
  /** Runs once, when nothing is unsent any more. */
  whenSent(run: () => void): void;
  /** Set by the session: what waits for the end of the turn goes before anything else is said. */
  source: { flushNow(): void } | undefined;
  /** Nothing is written any more. */
  end(): void;
}
