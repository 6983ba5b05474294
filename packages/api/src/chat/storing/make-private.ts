import { participantId } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import type { AuthorizedRoom } from "../access/authorize-room.ts";
import type { RememberedRoom } from "../prompt/room-memory.queries.ts";
import { type RoomName, roomKey, sealSessionToken, splitRoomKey } from "../rows/room-key.ts";
import { throwSoulNotFound } from "./soul-not-found.ts";

/**
 * Makes a room private permanently, from the moment its owner's private message is accepted
 * (decisions §5, Rooms and privacy). A room without messages is created for the caller.
 * @throws HubError `private_session` if another participant owns it, `soul_not_found` if the soul
 *   was deleted meanwhile
 */
export async function makePrivate(
  { hub, db, caller }: CallContext,
  message: RoomName & { is_private: boolean },
  { record }: AuthorizedRoom<RememberedRoom>,
): Promise<void> {
  if (!message.is_private || record?.is_private) return;
  const owner = participantId(caller);
  const { soulId: soul_id, tokenHash: token_hash } = splitRoomKey(roomKey(message));
  const token_sealed = sealSessionToken(hub.vault, message);
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
  hub.rooms.recheck(roomKey(message));
}
