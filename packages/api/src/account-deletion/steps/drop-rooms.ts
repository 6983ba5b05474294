import { type SqlBool, sql } from "kysely";
import { reserveRooms } from "../../chat/rows/reserve-rooms.ts";
import type { Db } from "../../db/database.ts";
import type { DeletionHub, StepResult } from "../due-account.ts";

/** Rooms and lines of one transaction. */
const ROOMS = 50;
const LINES = 5_000;

/**
 * Deletes the next rooms that fulfil a condition on `chat_rooms`, in bounded parts: lines first, so
 * that a long room takes several transactions. These rooms already refuse every caller.
 */
export async function dropRooms(
  tx: Db,
  { rooms }: DeletionHub,
  condition: ReturnType<typeof sql<SqlBool>>,
): Promise<StepResult> {
  const found = await tx
    .selectFrom("chat_rooms")
    .select(["id", sql<string>`soul_id || '/' || token_hash`.as("key")])
    .where(condition)
    .orderBy("id")
    .limit(ROOMS)
    .execute();
  if (found.length === 0) return { hasMore: false };
  const ids = sql<number>`any(${found.map(({ id }) => id)}::bigint[])`;
  await reserveRooms(tx, sql<SqlBool>`id = ${ids}`);
  await sql`select from chat_rooms where id = ${ids} order by id for update`.execute(tx);
  const { numDeletedRows } = await tx
    .deleteFrom("chat_messages")
    .where("id", "in", (eb) =>
      eb.selectFrom("chat_messages").select("id").where("room_id", "=", ids).limit(LINES),
    )
    .executeTakeFirst();
  if (Number(numDeletedRows) === LINES) return { hasMore: true };
  await tx.deleteFrom("chat_rooms").where("id", "=", ids).execute();
  return {
    hasMore: true,
    announce: () => {
      for (const { key } of found) {
        rooms.cancelReplies(key);
        rooms.forgetLog(key);
      }
    },
  };
}
