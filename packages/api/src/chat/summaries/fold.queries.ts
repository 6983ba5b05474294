import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { byPerson, pathEnd, type RememberedLine } from "../prompt/room-memory.queries.ts";

/** Number of the newest messages that no summary run reads. */
export const KEEP_UNFOLDED = 12;
/** Maximum number of messages read for one summary run. Usually fewer fit into its prompt. */
const READ_AT_ONCE = 200;

export interface ClaimedRoom {
  id: number;
  summary: string | null;
  summarised_to: number;
  is_branched: boolean;
  leaf_id: number;
  /**
   * End of the room's reservation as a text with microseconds, which identifies the reservation.
   * The database driver would cut the microseconds off.
   */
  folding_until: string;
}

/** Reserves the room for one summary run. The reservation of a crashed server expires. */
export async function claim(
  db: Db,
  roomId: number,
  seconds: number,
): Promise<ClaimedRoom | undefined> {
  const { rows } = await sql<ClaimedRoom>`
    update chat_rooms set folding_until = hub_now() + make_interval(secs => ${seconds})
    where id = ${roomId} and (folding_until is null or folding_until < hub_now())
    returning id, summary, summarised_to, is_branched, ${pathEnd} as leaf_id,
      folding_until::text`.execute(db);
  return rows[0];
}

export type Line = Pick<RememberedLine, "id" | "role" | "sender_name" | "content" | "by_person">;

/**
 * Reads the unsummarised messages of the room's path that souls may read, oldest first, without the
 * newest 12 of them.
 */
export async function readFoldable(db: Db, room: ClaimedRoom, maxChars: number): Promise<Line[]> {
  const { id, summarised_to } = room;
  // A room that never branched is read without a walk through its tree (0038).
  const leaf = room.is_branched ? room.leaf_id : null;
  const { rows } = await sql<Line>`
    select id, role, sender_name, left(content, ${maxChars}) as content, ${byPerson} as by_person
    from open_messages_after(${id}, ${leaf}, ${summarised_to}, ${READ_AT_ONCE}) as line
    where id < (
      select min(id) from newest_open_messages(${id}, ${leaf}, ${KEEP_UNFOLDED})
      having count(*) = ${KEEP_UNFOLDED})
    order by id`.execute(db);
  return rows;
}
