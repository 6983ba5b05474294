import type { TrackedRoomEvent } from "../event-id.ts";
import type { Lease } from "../ports/presence-store.ts";
import type { PresenceView } from "../presence/room-presence.ts";

/** A listener of a room: a live session, or a session of a polling client. */
export interface RoomListener {
  readonly lease: Lease;
  /**
   * The participants that the client knows of. Undefined before the sync event: until then the room
   * offers this listener no transient event but `changed`.
   */
  view: PresenceView | undefined;
  /** True while the client reads too slowly. */
  readonly isLagging: boolean;
  /** Called when messages were appended to the room's buffer. */
  wake(): void;
  /** Takes a transient event. All listeners of the room get the same object. */
  offer(event: TrackedRoomEvent): void;
  /**
   * Sends the client all events that are in memory. Called at the end of an event-loop turn. Absent
   * in the session of a polling client, which receives only the responses to its calls.
   */
  flush?(): void;
  /** Starts a check of the participant's right to be in the room. */
  recheck(): void;
  /** Ends the session, and asks its client to come back with its present credential (0077). */
  dismiss(): void;
  /**
   * Checks the participant's access if the last check is too old, at each renewal of leases. Absent
   * in the session of a polling client: each call checks it, and waits less than RECHECK_MS.
   */
  recheckIfDue?(): void;
  /** Continues in the room's successor, after the room's log was deleted. */
  restart(): void;
  end(error?: unknown): void;
}
