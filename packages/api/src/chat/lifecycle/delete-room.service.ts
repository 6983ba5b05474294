import { type SqlBool, sql } from "kysely";
import type { AccountContext } from "../../caller/caller.ts";
import { participantId } from "../../caller/caller.ts";
import { HubError } from "../../errors.ts";
import { authorizeReader } from "../access/authorize-room.ts";
import { reserveRooms } from "../rows/reserve-rooms.ts";
import { type RoomName, roomKey, splitRoomKey } from "../rows/room-key.ts";

/**
 * Deletes the caller's room with everything in it: DELETE /api/room (0042). Its address stays
 * reserved for the caller. A room that does not exist is deleted already. The owner may delete a room
 * whose soul it may no longer use.
 * @throws HubError those of authorizeRoom, `not_owner`
 */
export async function deleteRoom(ctx: AccountContext, name: RoomName) {
  const { db, hub, caller } = ctx;
  const key = roomKey(name);
  const { soulId, tokenHash } = splitRoomKey(key);
  const isOwn = sql<SqlBool>`soul_id = ${soulId} and token_hash = ${tokenHash}
    and owner = ${participantId(caller)}`;
  await reserveRooms(db, isOwn);
  const deleted = await db.deleteFrom("chat_rooms").where(isOwn).returning("id").executeTakeFirst();
  if (deleted) {
    hub.rooms.cancelReplies(key);
    hub.rooms.forgetLog(key);
  } else {
    const { record } = await authorizeReader(ctx, name, hub.chatRooms);
    if (record) throw new HubError("not_owner", { message: NOT_OWNER });
  }
  return { message: "The session is deleted." };
}

const NOT_OWNER = "Only the owner of this room can delete it.";
