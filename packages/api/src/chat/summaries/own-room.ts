import type { AccountContext } from "../../accounts/caller.ts";
import { participantId } from "../../accounts/caller.ts";
import { HubError } from "../../errors.ts";
import { authorizeRoom } from "../access/authorize-room.ts";
import type { RoomName } from "../access/room-key.ts";
import type { RoomRecord } from "../history/chat-room.queries.ts";

/**
 * Returns the caller's own room, whose summary the caller may read and change.
 * @throws HubError those of authorizeRoom; `not_owner`, also for a room without messages, which has
 *   no owner
 */
export async function ownRoom(ctx: AccountContext, name: RoomName): Promise<RoomRecord> {
  const { record } = await authorizeRoom(ctx, name, ctx.hub.chatRooms);
  if (record?.owner === participantId(ctx.caller)) return record;
  throw new HubError("not_owner", {
    message: "Only the owner of this conversation can read or change its summary.",
  });
}
