import type { Hub } from "../../context.ts";

/** A revision of a room and the one before it. They are equal if nothing changed. */
export interface RevisionStep {
  revision: number;
  prev_revision: number;
}

/** A step whose start may be unknown (null). Each server then reads the change from the log. */
export interface StoredStep {
  revision: number;
  prev_revision: number | null;
}

/**
 * Publishes a room's new revision alone. No server has this `prev_revision`, so those with the room
 * open read the change from the log.
 */
export const publishRevision = (
  rooms: Hub["rooms"],
  { key, revision }: { key: string; revision: number },
): void => rooms.publishChange(key, { revision, prev_revision: revision });
