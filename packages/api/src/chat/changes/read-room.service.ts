import { participantId } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { HubError } from "../../errors.ts";
import { authorizeReader } from "../access/authorize-room.ts";
import { settingsFor } from "../access/settings-for.ts";
import type { RoomRecord } from "../rows/chat-room.queries.ts";
import type { RoomName } from "../rows/room-key.ts";
import { readChanged } from "../rows/room-settings.queries.ts";

/**
 * Reads the settings of a room that the caller may enter: GET /api/room (decisions §5, Rooms).
 * @throws HubError as authorizeRoom
 */
export async function readRoom(ctx: CallContext, name: RoomName) {
  const { key, record, mayUse } = await authorizeReader(ctx, name, ctx.hub.chatRooms);
  return describeRoom(ctx, key, record, mayUse);
}

/** Returns a room's settings and the caller's relation to it. */
export async function describeRoom(
  { db, caller }: CallContext,
  key: string,
  record: Pick<RoomRecord, "id" | "owner" | "is_private" | "restriction"> | undefined,
  mayUse = true,
) {
  const { room } = await readChanged(db, key);
  if (!room) throw new HubError("soul_not_found");
  const participant = participantId(caller);
  const is_owner = record?.owner === participant;
  const is_muted = record?.restriction === "muted";
  const muted_until = is_muted ? await readEnd(db, record.id, participant) : null;
  return {
    ...settingsFor(room, mayUse),
    is_private: record?.is_private ?? false,
    is_owner,
    is_muted,
    muted_until,
  };
}

/** Returns the end of a participant's restriction; null without an end. */
async function readEnd(db: Db, roomId: number, participant: string): Promise<string | null> {
  const row = await db
    .selectFrom("room_people")
    .select("restricted_until")
    .where("room_id", "=", roomId)
    .where("participant", "=", participant)
    .executeTakeFirst();
  return row?.restricted_until ?? null;
}
