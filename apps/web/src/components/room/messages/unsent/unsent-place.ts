import type { ShownMessage } from "../use-older-messages.ts";

/**
 * The place of something that the room does not store: below the newest message of the shown path
 * at that time.
 * @param after id of the newest message in the room at that time
 * @returns the id of the message above it; 0 above all messages
 */
export const placeIn = (path: readonly ShownMessage[], after: number): number =>
  path.findLast(({ id }) => id <= after)?.id ?? 0;
