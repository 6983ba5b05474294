import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { type RoomName, roomKey } from "../access/room-key.ts";
import { branchError } from "../tree/branch-error.ts";
import type { Written } from "./call-store-reply.ts";

/** The reason why a participant may not enter a room: `banned` or `private_session`. */
export async function notAdmitted(
  { hub }: Pick<CallContext, "hub">,
  key: string,
  participant: string,
): Promise<HubError> {
  const record = await hub.chatRooms(key, participant);
  return new HubError(record?.restriction === "banned" ? "banned" : "private_session");
}

/**
 * Throws if `store_reply` stored nothing because of the room's present state.
 * @param asker the participant who sent the message
 * @throws HubError `soul_not_found` if the soul was deleted meanwhile, `cancelled` if the room was
 * @throws HubError `private_session` or `banned` if the asker may no longer enter the room
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
