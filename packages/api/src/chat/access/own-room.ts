import type { AccountContext } from "../../caller/caller.ts";
import { participantId } from "../../caller/caller.ts";
import { HubError } from "../../errors.ts";
import type { RoomRecord } from "../rows/chat-room.queries.ts";
import type { RoomName } from "../rows/room-key.ts";
import { authorizeRoom } from "./authorize-room.ts";

interface OwnRoom {
  key: string;
  record: RoomRecord;
}

/**
 * Returns the caller's own room, with the fields that only its owner may read and change.
 * @param message the text of the refusal of another caller
 * @throws HubError those of authorizeRoom; `not_owner`, also for a room without messages, which has
 *   no owner
 */
export async function ownRoom(
  ctx: AccountContext,
  name: RoomName,
  message = "Only the owner of this conversation can make this request.",
): Promise<OwnRoom> {
  const { key, record } = await authorizeRoom(ctx, name, ctx.hub.chatRooms);
  if (record?.owner === participantId(ctx.caller)) return { key, record };
  throw new HubError("not_owner", { message });
}
