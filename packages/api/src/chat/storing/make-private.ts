import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { type RoomName, roomKey, sealSessionToken, splitRoomKey } from "../rows/room-key.ts";
import { throwSoulNotFound } from "./soul-not-found.ts";

/**
 * Makes a room private permanently, from the moment its owner's message is accepted (decisions §5,
 * Rooms and privacy). A room without messages is created for the caller.
 * @throws HubError `private_session` if another participant owns it, `soul_not_found` if the soul
 *   was deleted meanwhile
 */
export async function makePrivate(
  { hub, db }: CallContext,
  name: RoomName,
  owner: string,
): Promise<void> {
  const { soulId: soul_id, tokenHash: token_hash } = splitRoomKey(roomKey(name));
  const token_sealed = sealSessionToken(hub.vault, name);
  const owned = await db
    .insertInto("chat_rooms")
    .values({ soul_id, token_hash, token_sealed, owner, is_private: true })
    .onConflict((conflict) =>
      conflict
        .columns(["soul_id", "token_hash"])
        .doUpdateSet({ is_private: true })
        .where("chat_rooms.owner", "=", owner),
    )
    .returning("id")
    .executeTakeFirst()
    .catch(throwSoulNotFound);
  if (!owned) throw new HubError("private_session");
  // Checks the rights of the room's subscribers again. Even a room without messages can have
  // subscribers.
  hub.rooms.recheck(roomKey(name));
}
