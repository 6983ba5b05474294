import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { HubError, invalidField } from "../../errors.ts";
import { findShare, type ShareRecord } from "./read-share.service.ts";

/** The newest messages of a path among which the end of a share is looked for. */
const END_AMONG = 500;

/**
 * Locks a room and returns the message up to which its path is shared or copied. The lock lets one
 * caller at a time count the shares of a room, and lets no message be removed meanwhile.
 * @param toId the chosen message; the newest open one of the room's path if omitted
 * @throws HubError `message_not_found` if there is no such message or it was removed;
 *   `invalid_input` if it is off the record
 */
export async function sharedEnd(tx: Db, roomId: number, toId: number | undefined): Promise<number> {
  const room = await tx
    .selectFrom("chat_rooms")
    .select(sql<number>`coalesce(active_id, head_id)`.as("leaf"))
    .where("id", "=", roomId)
    .forUpdate()
    .executeTakeFirstOrThrow(() => new HubError("message_not_found"));
  if (toId === undefined) {
    const { rows } = await sql<{ id: number }>`
      select id from path_messages(${roomId}, ${room.leaf}, null, ${END_AMONG}) as line
      where audience = 'room' and removed_at is null order by id desc limit 1`.execute(tx);
    if (!rows[0]) throw new HubError("message_not_found", { message: NOTHING_OPEN });
    return rows[0].id;
  }
  const line = await tx
    .selectFrom("chat_messages")
    .select(["audience", "removed_at"])
    .where("room_id", "=", roomId)
    .where("id", "=", toId)
    .executeTakeFirst();
  if (!line || line.removed_at !== null) throw new HubError("message_not_found");
  if (line.audience === "people") throw invalidField("to_id", "must not be off the record");
  return toId;
}

/**
 * Locks a room and one of its shares, so that the share can be revoked only before or after. The
 * message at its end may be removed meanwhile: the share then ends at the message before. The room
 * is locked first, as by its deletion.
 * @returns the id of the message up to which the path is shared
 * @throws HubError `share_not_found`
 */
export async function lockShare(tx: Db, { id, room_id }: ShareRecord): Promise<number> {
  await tx.selectFrom("chat_rooms").select("id").where("id", "=", room_id).forUpdate().execute();
  await tx.selectFrom("room_shares").select("id").where("id", "=", id).forKeyShare().execute();
  const { to_id } = await findShare(tx, id);
  return to_id;
}

const NOTHING_OPEN = "This conversation has no message that could be shared.";
