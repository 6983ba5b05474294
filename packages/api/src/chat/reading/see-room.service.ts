import { sql } from "kysely";
import type { AccountContext } from "../../caller/caller.ts";
import { HubError } from "../../errors.ts";
import { authorizeReader } from "../access/authorize-room.ts";
import { participantOf } from "../access/room-participant.ts";
import { type RoomName, splitRoomKey } from "../rows/room-key.ts";

/**
 * Records that the caller has seen a room up to a message: PUT /api/seen (0042). The record never
 * goes back, and an earlier message writes nothing. The lock keeps the room from being deleted
 * meanwhile.
 * @throws HubError those of authorizeRoom; `message_not_found` if the room has no such message
 */
export async function seeRoom(ctx: AccountContext, { id, ...name }: RoomName & { id: number }) {
  const { key } = await authorizeReader(ctx, name, ctx.hub.chatRooms);
  const { soulId, tokenHash } = splitRoomKey(key);
  const reader = participantOf(ctx);
  const { rows } = await sql`
    with seen as materialized (
      select line.room_id, line.id from chat_rooms as room
        join chat_messages as line on line.room_id = room.id and line.id = ${id}
        where room.soul_id = ${soulId} and room.token_hash = ${tokenHash}
        for key share of room),
    written as (
      insert into room_people as known (room_id, participant, name, seen_to)
        select room_id, ${reader.id}, ${reader.name}, id from seen
        on conflict (room_id, participant) do update
          set seen_to = excluded.seen_to, name = excluded.name
          where known.seen_to < excluded.seen_to)
    select id from seen`.execute(ctx.db);
  if (rows.length === 0) throw new HubError("message_not_found");
  return { message: "The session is marked as seen." };
}
