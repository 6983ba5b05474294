import type { TrackedRoomEvent } from "./event-id.ts";
import type { Lease } from "./presence-store.ts";
import type { PresenceView } from "./room-presence.ts";

/** A session that is not in the crowd, as its room sees it. */
export interface RoomListener {
  readonly lease: Lease;
  /** Whom it was told of; undefined until it has had its sync, before which it hears nothing. */
  view: PresenceView | undefined;
  /** It doesn't read as fast as the room speaks. */
  readonly isBehind: boolean;
  /** The ring has grown. */
  wake(): void;
  /** A passing event: the same object for every session of the room. */
  offer(event: TrackedRoomEvent): void;
  /** The turn ends: sends what it has, if it sends by itself. */
  pump(): void;
  /** Its right to be here may have ended. */
  recheck(): void;
  /** Once per renewal. */
  recheckIfDue(): void;
  end(error?: unknown): void;
}
