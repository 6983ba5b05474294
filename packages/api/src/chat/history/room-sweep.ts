import { type SqlBool, sql } from "kysely";
import type { Hub, HubConfig } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { reserveRooms } from "../rows/reserve-rooms.ts";

/** Maximum number of rooms that one sweep deletes, and that one sweep reads (0035). */
const ROOMS_PER_SWEEP = 1_000;
const ROOMS_READ = 10_000;
/** Rooms of one transaction. Their messages go with them, so a transaction must not be long. */
const ROOMS_PER_DELETE = 50;

interface RoomSweepOptions extends Pick<Hub, "rooms"> {
  db: Db;
  config: Pick<HubConfig, "retainRoomsDays" | "retainGuestRoomsDays">;
  /** False if another server of the hub sweeps in this minute. */
  takeTurn: () => Promise<boolean>;
}

/**
 * Returns a function that deletes rooms whose last message is too old, with all their messages. Their
 * addresses stay reserved (0042).
 * Each call continues after the rooms that the call before it has read, in the order of ids.
 */
export function createRoomSweep({
  db,
  rooms,
  config,
  takeTurn,
}: RoomSweepOptions): () => Promise<void> {
  const { retainRoomsDays, retainGuestRoomsDays } = config;
  // Only a new exchange sets `updated_at`, so it is the time of the last message.
  const isOlderThan = (days: number) =>
    sql<SqlBool>`(${days}::int > 0 and updated_at < hub_now() - make_interval(days => ${days}::int))`;
  const isExpired = sql<SqlBool>`(${isOlderThan(retainRoomsDays)}
    or owner like 'guest:%' and ${isOlderThan(retainGuestRoomsDays)})`;
  let readTo = 0;

  return async () => {
    if (retainRoomsDays === 0 && retainGuestRoomsDays === 0) return;
    if (!(await takeTurn())) return;
    const page = await db
      .selectFrom("chat_rooms")
      .select(["id", isExpired.as("is_expired")])
      .where("id", ">", readTo)
      .orderBy("id")
      .limit(ROOMS_READ)
      .execute();
    const expired = page.filter(({ is_expired }) => is_expired).map(({ id }) => id);
    const ids = expired.slice(0, ROOMS_PER_SWEEP);
    for (let from = 0; from < ids.length; from += ROOMS_PER_DELETE) {
      await deleteRooms(ids.slice(from, from + ROOMS_PER_DELETE));
    }
    if (expired.length > ids.length) readTo = ids.at(-1) ?? 0;
    else readTo = page.length < ROOMS_READ ? 0 : (page.at(-1)?.id ?? 0);
  };

  async function deleteRooms(ids: number[]): Promise<void> {
    await reserveRooms(db, sql<SqlBool>`id = any(${ids}::bigint[])`);
    // The row lock makes the condition hold at the deletion: a room that has just received a message
    // stays. Rooms that an exchange or another server's sweep has locked wait for a later round.
    const deleted = await db
      .deleteFrom("chat_rooms")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("chat_rooms")
          .select("id")
          .where(sql<SqlBool>`id = any(${ids}::bigint[])`)
          .where(isExpired)
          .forUpdate()
          .skipLocked(),
      )
      .returning(sql<string>`soul_id || '/' || token_hash`.as("key"))
      .execute();
    for (const { key } of deleted) rooms.forgetLog(key);
  }
}
