import type { Hub } from "../../context.ts";
import { callFunction } from "../../db/sql-functions.ts";
import type { SoulRecord } from "../../souls/soul.queries.ts";
import { publishRevision } from "../rows/revision-step.ts";

declare module "../../context.ts" {
  interface Hub {
    /** Takes a soul that is private, gated or deleted out of the rooms whose guest it is (0041). */
    dropGuestSoul(soulId: number): Promise<void>;
    /** Gives a revision to the rooms with a guest among held or released souls (0061). */
    touchGuestRooms(soulIds: readonly number[]): Promise<void>;
  }
}

/** Rooms per statement, which locks them. */
const ROOMS_AT_ONCE = 100;

/** Reports whether a soul can be a guest of rooms: everyone must be allowed to use it. */
export const mayBeGuest = ({
  is_public,
  nft_contract,
}: Pick<SoulRecord, "is_public" | "nft_contract">): boolean =>
  is_public === 1 && nft_contract === null;

type RoomsHub = Pick<Hub, "database" | "rooms">;

export const createGuestSoulDrop =
  (hub: RoomsHub): Hub["dropGuestSoul"] =>
  (soulId) =>
    changeRooms(hub, "drop_guest_soul", () => ({ of_soul: soulId }));

export const createGuestRoomTouch =
  (hub: RoomsHub): Hub["touchGuestRooms"] =>
  (soulIds) =>
    changeRooms(hub, "touch_rooms_of_guests", (after) => ({ of_souls: soulIds, after }));

/**
 * Changes rooms part by part with an SQL function, and publishes their revisions.
 * @param argsAfter returns the arguments for the rooms after an id
 */
async function changeRooms(
  { database, rooms }: RoomsHub,
  run: string,
  argsAfter: (id: number) => Record<string, unknown>,
): Promise<void> {
  let after = 0;
  for (let count = ROOMS_AT_ONCE; count === ROOMS_AT_ONCE; ) {
    const args = { ...argsAfter(after), at_most: ROOMS_AT_ONCE };
    const changed = await callFunction<ChangedRoom>(database.db, run, args);
    for (const room of changed) publishRevision(rooms, room);
    after = Math.max(after, ...changed.map(({ id = 0 }) => id));
    count = changed.length;
  }
}

interface ChangedRoom {
  id?: number;
  key: string;
  revision: number;
}
