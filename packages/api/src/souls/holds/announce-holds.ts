import type { Hub } from "../../context.ts";

/**
 * Tells the rooms of souls that they were held or released, after the commit (0061). Sessions of a
 * held soul end with `soul_not_found`, on every server, except those of its owner.
 */
export function announceHolds(
  { rooms, inBackground, touchGuestRooms }: Pick<Hub, "rooms" | "inBackground" | "touchGuestRooms">,
  soulIds: readonly number[],
): void {
  if (soulIds.length === 0) return;
  // One message for all souls, of which an account may have thousands: the sessions then check their
  // rights together. Those who read on get the room's settings, and rooms of guests take a revision.
  rooms.recheckAll({ roomPrefixes: soulIds.map((id) => `${id}/`) });
  inBackground("changing the rooms of guest souls", touchGuestRooms(soulIds));
}
