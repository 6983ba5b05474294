import type { AccountContext } from "../../caller/caller.ts";
import { participantId } from "../../caller/caller.ts";
import { HubError } from "../../errors.ts";
import { authorizeReader } from "../access/authorize-room.ts";
import { type RoomName, roomKey, splitRoomKey } from "../rows/room-key.ts";

/**
 * Deletes the caller's room with everything in it: DELETE /api/room (0042). A room that does not
 * exist is deleted already. The owner may delete a room whose soul it may no longer use.
 * @throws HubError those of authorizeRoom, `not_owner`
 */
export async function deleteRoom(ctx: AccountContext, name: RoomName) {
  const { db, hub, caller } = ctx;
  const key = roomKey(name);
  const { soulId, tokenHash } = splitRoomKey(key);
  const deleted = await db
    .deleteFrom("chat_rooms")
    .where("soul_id", "=", soulId)
    .where("token_hash", "=", tokenHash)
    .where("owner", "=", participantId(caller))
    .returning("id")
    .executeTakeFirst();
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
