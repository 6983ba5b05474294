import { sql } from "kysely";
import type { AccountContext } from "../../caller/caller.ts";
import { HubError } from "../../errors.ts";
import { authorizeReader } from "../access/authorize-room.ts";
import { participantOf } from "../access/room-participant.ts";
import type { RoomName } from "../rows/room-key.ts";

/**
 * Hides a room from the caller's list, or shows it again: PUT /api/my-chats (0042). A hidden room is
 * seen, and a member leaves it. The room's lock is that of POST /api/room-join: otherwise a join
 * could stay hidden.
 * @throws HubError those of authorizeReader; `room_not_found` for a room without messages
 */
export async function hideRoom(
  ctx: AccountContext,
  { hidden, ...name }: RoomName & { hidden: boolean },
) {
  const { key, record } = await authorizeReader(ctx, name, ctx.hub.chatRooms);
  const person = participantOf(ctx);
  const { rows } = await sql`
    with room as materialized (
      select id, head_id from chat_rooms where id = ${record?.id ?? 0} for no key update)
    insert into room_people as known (room_id, participant, name, seen_to, hidden_to)
      select id, ${person.id}, ${person.name}, case when ${hidden} then head_id else 0 end,
        case when ${hidden} then head_id end from room
      on conflict (room_id, participant) do update set
        seen_to = greatest(known.seen_to, excluded.seen_to),
        hidden_to = excluded.hidden_to,
        is_member = known.is_member and not ${hidden},
        restricted_at = case when known.is_member and ${hidden} then hub_now()
          else known.restricted_at end
      returning room_id`.execute(ctx.db);
  if (rows.length === 0) throw new HubError("room_not_found");
  const isLeft = hidden && record?.is_member === true;
  // The end of a membership applies at once, also to open subscriptions and waiting polls.
  if (isLeft) ctx.hub.rooms.recheck(key);
  return { message: isLeft ? "You have left the session." : MESSAGES[`${hidden}`], hidden };
}

const MESSAGES = { true: "The session is hidden.", false: "The session is shown again." };
