import { participantId } from "../../accounts/caller.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { authorizeRoom } from "../access/authorize-room.ts";
import type { RoomName } from "../access/room-key.ts";
import type { RoomRecord } from "../history/chat-room.queries.ts";
import { readChanged } from "../history/room-settings.queries.ts";

/**
 * Reads the settings of a room that the caller may enter: GET /api/room (decisions §5, Rooms).
 * @throws HubError as authorizeRoom
 */
export async function readRoom(ctx: CallContext, name: RoomName) {
  const { key, record } = await authorizeRoom(ctx, name, ctx.hub.chatRooms);
  return describeRoom(ctx, key, record);
}

/** Returns a room's settings and the caller's relation to it. */
export async function describeRoom(
  { db, caller }: CallContext,
  key: string,
  record: Pick<RoomRecord, "owner" | "is_private" | "restriction"> | undefined,
) {
  const { room } = await readChanged(db, key);
  if (!room) throw new HubError("soul_not_found");
  const is_owner = record?.owner === participantId(caller);
  const is_muted = record?.restriction === "muted";
  return { ...room, is_private: record?.is_private ?? false, is_owner, is_muted };
}
