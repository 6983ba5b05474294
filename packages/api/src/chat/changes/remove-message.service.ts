import type { AccountContext } from "../../caller/caller.ts";
import { participantId } from "../../caller/caller.ts";
import { authorizeReader } from "../access/authorize-room.ts";
import type { RoomName } from "../rows/room-key.ts";
import { applyChange } from "./apply-change.ts";

/**
 * Purges a stored message: DELETE /api/message (decisions §5, Changing messages). Its place in the
 * log and in the tree remains. A removed message can be removed again.
 * @throws HubError those of authorizeRoom, `message_not_found`, `not_owner`
 */
export async function removeMessage(
  ctx: AccountContext,
  { id, ...name }: RoomName & { id: number },
) {
  const { key } = await authorizeReader(ctx, name, ctx.hub.chatRooms);
  const revision = await applyChange(ctx, key, {
    run: "remove_message",
    args: { of_id: id, remover: participantId(ctx.caller) },
    messageId: id,
    changesRoom: true,
  });
  return { message: "The message is removed.", revision };
}
