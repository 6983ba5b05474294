import type { Hub } from "../../context.ts";

/**
 * Tells the rooms of souls that they were held or released, after the commit (0061). Sessions of a
 * held soul end with `soul_not_found`, on every server, except those of its owner.
 */
export function announceHolds(
  { rooms, inBackground, touchGuestRooms }: Pick<Hub, "rooms" | "inBackground" | "touchGuestRooms">,
  soulIds: readonly number[],
): void {
  for (const id of soulIds) {
    rooms.recheckAll({ roomPrefix: `${id}/` });
    rooms.soulChanged(id);
  }
  // One soul after another: an account may have thousands, and their queries would take the pool.
  const touchAll = async () => {
    for (const id of soulIds) await touchGuestRooms(id);
  };
  inBackground("changing the rooms of guest souls", touchAll());
}
