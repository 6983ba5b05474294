import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import type { RoomRecord } from "../rows/chat-room.queries.ts";
import { type RoomName, roomKey } from "../rows/room-key.ts";
import { branchError } from "../tree/branch-error.ts";
import type { Written } from "./call-store-reply.ts";

/** The refusal of a participant with this restriction: `banned`, `blocked` or `private_session`. */
export const refusedBy = (restriction: RoomRecord["restriction"] | undefined): HubError =>
  new HubError(!restriction || restriction === "muted" ? "private_session" : restriction);

/** The refusal of a participant who may not enter a room. */
export async function notAdmitted(
  { hub }: Pick<CallContext, "hub">,
  key: string,
  participant: string,
): Promise<HubError> {
  return refusedBy((await hub.chatRooms(key, participant))?.restriction);
}

/**
 * Throws if `store_reply` stored nothing because of the room's present state.
 * @param asker the participant who sent the message
 * @throws HubError `soul_not_found` if the soul was deleted meanwhile, `cancelled` if the room was
 * @throws HubError `private_session`, `blocked` or `banned` if the asker may no longer enter the room
 * @throws HubError `message_not_found`, `not_owner`, `limit_reached` if the asker may not branch at
 *   the chosen place any more
 */
export async function assertAdmitted(
  { hub }: CallContext,
  name: RoomName,
  asker: string,
  { room_id, is_open, refusal }: Written,
): Promise<void> {
  if (room_id === null) {
    if (!(await hub.souls.byId(name.soul_id))) throw new HubError("soul_not_found");
    throw new HubError("cancelled", { message: "The conversation was deleted meanwhile." });
  }
  if (!is_open) throw await notAdmitted({ hub }, roomKey(name), asker);
  if (refusal !== null) throw branchError(refusal);
}
