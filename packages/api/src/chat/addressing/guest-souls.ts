import type { Hub } from "../../context.ts";
import { callFunction } from "../../db/sql-functions.ts";
import type { SoulRecord } from "../../souls/soul.queries.ts";

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

export const createGuestSoulDrop =
  ({ database, rooms }: Pick<Hub, "database" | "rooms">): Hub["dropGuestSoul"] =>
  async (soulId) => {
    let left: number;
    do {
      const dropped = await callFunction<{ key: string; revision: number }>(
        database.db,
        "drop_guest_soul",
        { of_soul: soulId, at_most: ROOMS_AT_ONCE },
      );
      for (const { key, revision } of dropped) {
        // No server has this `prev_revision`. Those with the room open read the change from the log.
        rooms.publishChange(key, { revision, prev_revision: revision });
      }
      left = dropped.length;
    } while (left === ROOMS_AT_ONCE);
  };

export const createGuestRoomTouch =
  ({ database, rooms }: Pick<Hub, "database" | "rooms">): Hub["touchGuestRooms"] =>
  async (soulIds) => {
    let after = 0;
    let left: number;
    do {
      const touched = await callFunction<{ id: number; key: string; revision: number }>(
        database.db,
        "touch_rooms_of_guests",
        { of_souls: soulIds, after, at_most: ROOMS_AT_ONCE },
      );
      for (const { id, key, revision } of touched) {
        // No server has this `prev_revision`. Those with the room open read the change from the log.
        rooms.publishChange(key, { revision, prev_revision: revision });
        after = Math.max(after, id);
      }
      left = touched.length;
    } while (left === ROOMS_AT_ONCE);
  };
