import type { AccountContext } from "../../caller/caller.ts";
import { participantId } from "../../caller/caller.ts";
import { HubError } from "../../errors.ts";
import type { RoomRecord } from "../rows/chat-room.queries.ts";
import type { RoomName } from "../rows/room-key.ts";
import { type AuthorizedRoom, authorizeReader, authorizeRoom } from "./authorize-room.ts";

const NOT_OWNER = "Only the owner of this conversation can make this request.";

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
  message = NOT_OWNER,
): Promise<OwnRoom> {
  return assertOwn(ctx, await authorizeRoom(ctx, name, ctx.hub.chatRooms), message);
}

/**
 * Like {@link ownRoom}, but only to read. The owner may read on when it may not use the soul any
 * more (0076).
 */
export async function ownReadableRoom(
  ctx: AccountContext,
  name: RoomName,
  message = NOT_OWNER,
): Promise<OwnRoom> {
  return assertOwn(ctx, await authorizeReader(ctx, name, ctx.hub.chatRooms), message);
}

function assertOwn(
  { caller }: AccountContext,
  { key, record }: Pick<AuthorizedRoom<RoomRecord>, "key" | "record">,
  message: string,
): OwnRoom {
  if (record?.owner === participantId(caller)) return { key, record };
  throw new HubError("not_owner", { message });
}
