import { sql } from "kysely";
import type { CallContext } from "../../context.ts";
import type { Participant } from "../../rooms/ports/presence-store.ts";
import type { ViewerState } from "../../rooms/room-events.ts";
import type { CachedRoom } from "../access/authorize-room.ts";
import { viewerStateOf } from "../access/room-participant.ts";
import { splitRoomKey } from "../rows/room-key.ts";

/**
 * Returns the state of a client that joins. An account also gets the id of the newest message that
 * it has seen, as `unread_messages` counts: by `PUT /api/seen`, or its own newest message (0042); 0
 * if there is neither. Its own one is mostly among the newest 300. The index of senders finds an
 * older one, but reads all messages of the account in the room.
 */
export async function firstStateOf(
  participant: Participant,
  room: CachedRoom,
  { db, caller }: Pick<CallContext, "db" | "caller">,
): Promise<ViewerState> {
  const state = viewerStateOf(participant, room);
  if (!("account" in caller)) return state;
  const { soulId, tokenHash } = splitRoomKey(room.key);
  const me = participant.id;
  const { rows } = await sql<{ seen_to: number }>`
    select greatest(0,
      (select seen_to from room_people where room_id = room.id and participant = ${me}),
      coalesce(
        (select max(id) from newest_messages(room.id, null, 300) where sender = ${me}),
        (select max(id + 0) from chat_messages where sender = ${me} and room_id = room.id))
      ) as seen_to
    from chat_rooms as room where soul_id = ${soulId} and token_hash = ${tokenHash}`.execute(db);
  return { ...state, you: { ...state.you, seen_to: rows[0]?.seen_to ?? 0 } };
}
