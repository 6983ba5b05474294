import { sql } from "kysely";
import { participantId } from "../../caller/caller.ts";
import { authorizeReader } from "../../chat/access/authorize-room.ts";
import { type RoomName, roomKey, splitRoomKey } from "../../chat/rows/room-key.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";

/** Days for which a person may report what it read before it was kept out of a room (0062). */
const REPORTABLE_DAYS = 30;

/** A room whose lines the caller may report. */
interface ReportableRoom {
  id: number;
  owner: string;
  /** The newest line that the caller could read. */
  end: number;
}

/**
 * Returns the room, as the caller may read it. Who wrote in it or was its member, and was banned,
 * removed or blocked since, may report the lines from before: a ban would silence a report.
 * @throws HubError those of authorizeReader; `message_not_found` for a room without messages
 */
export async function reportableRoom(
  ctx: CallContext,
  name: RoomName & { message_id?: number | undefined },
): Promise<ReportableRoom> {
  try {
    const { record } = await authorizeReader(ctx, name, ctx.hub.chatRooms);
    if (!record) throw new HubError("message_not_found");
    return { id: record.id, owner: record.owner, end: record.head_id };
  } catch (error) {
    const isKeptOut =
      error instanceof HubError && ["banned", "blocked", "private_session"].includes(error.code);
    const former = isKeptOut ? await formerRoom(ctx, name) : undefined;
    if (!former || (name.message_id ?? 0) > former.end) throw error;
    return former;
  }
}

async function formerRoom(ctx: CallContext, name: RoomName): Promise<ReportableRoom | undefined> {
  const { soulId, tokenHash } = splitRoomKey(roomKey(name));
  const me = participantId(ctx.caller);
  const { rows } = await sql<ReportableRoom>`
    select room.id, room.owner, line.id as "end"
    from chat_rooms as room
      left join room_people as person on person.room_id = room.id and person.participant = ${me}
      left join blocks as block
        on blocker_id = substring(room.owner from '^account:(\\d+)$')::bigint
          and blocked_id = ${"account" in ctx.caller ? ctx.caller.account.id : null}
          and (person.is_member or exists (
            select from chat_messages where room_id = room.id and sender = ${me})),
      least(person.restricted_at, block.created_at) as left_at,
      lateral (
        select id from chat_messages where room_id = room.id and created_at < left_at
        order by id desc limit 1) as line
    where room.soul_id = ${soulId} and room.token_hash = ${tokenHash} and not room.is_closed
      and left_at > hub_now() - make_interval(days => ${REPORTABLE_DAYS})`.execute(ctx.db);
  return rows[0];
}
