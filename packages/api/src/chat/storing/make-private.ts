import { participantId } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { callOrRefuse } from "../../db/sql-functions.ts";
import type { AuthorizedRoom } from "../access/authorize-room.ts";
import type { RememberedRoom } from "../prompt/room-memory.queries.ts";
import { type RoomName, roomKey, sealSessionToken, splitRoomKey } from "../rows/room-key.ts";
import { throwSoulNotFound } from "./soul-not-found.ts";

/**
 * Makes a room private permanently, from the moment its owner's private message is accepted
 * (decisions §5, Rooms and privacy). A room without messages is created for the caller.
 * @throws HubError `private_session` if another participant owns it; if they were deleted meanwhile,
 *   `cancelled` for the room, `soul_not_found` for the soul
 */
export async function makePrivate(
  { hub, db, caller }: CallContext,
  message: RoomName & { is_private: boolean },
  { record }: AuthorizedRoom<RememberedRoom>,
): Promise<void> {
  if (!message.is_private || record?.is_private) return;
  const { soulId: of_soul, tokenHash: of_token_hash } = splitRoomKey(roomKey(message));
  await callOrRefuse(db, "make_private", {
    of_soul,
    of_token_hash,
    of_token_sealed: record ? null : sealSessionToken(hub.vault, message),
    admitted_to: record?.id ?? null,
    asker: participantId(caller),
  }).catch(throwSoulNotFound);
  // Checks the rights of the room's subscribers again. Even a room without messages can have
  // subscribers.
  hub.rooms.recheck(roomKey(message));
}
