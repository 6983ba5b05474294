import { sql } from "kysely";
import { type MessageRow, messageColumns } from "../../chat/rows/message-row.ts";
import type { Db } from "../../db/database.ts";
import type { ExcerptLine } from "./excerpt.schema.ts";

/** The messages around a reported one, or the newest of a reported room, that staff read (0062). */
const AROUND = 5;
/** At most so many of them follow the reported one: what led to it says more. */
const AFTER = 2;
/** The nearest messages on each side among which they are looked for. */
const AMONG = 100;

/**
 * Reads a reported message with at most 5 around it on its path, or the newest 5 of a room's path,
 * oldest first (0062). A message off the record is left out, unless it is the reported one.
 * @param end the newest message that the reporter could read
 * @param reported the id of a message of the room; null for the room itself
 */
export async function readLinesAround(
  db: Db,
  room: { id: number; end: number },
  reported: number | null,
): Promise<ExcerptLine[]> {
  const { rows } = await sql<MessageRow & { is_on_path: boolean }>`
    with room as (
      select id, leaf, path_ranges(id, leaf, 1) as path, ${reported}::bigint as reported
      from (select id, coalesce(active_id, head_id) as leaf
        from chat_rooms where id = ${room.id}) as found),
    near as (
      select line.* from room,
        path_messages(room.id, coalesce(reported, leaf), ${room.end + 1}, ${AMONG}) as line
      union all
      -- A message of another branch is the end of its own path.
      select line.* from room, messages_after(room.id, reported, ${AMONG}) as line
      where reported <@ path and line.id <@ path and line.id <= ${room.end})
    select ${messageColumns}, line.id <@ path as is_on_path from room, near as line
    where line.audience = 'room' or line.id = reported
    order by line.id`.execute(db);
  const at = reported === null ? rows.length : rows.findIndex(({ id }) => id === reported);
  const after = Math.min(AFTER, Math.max(0, rows.length - at - 1));
  return rows.slice(Math.max(0, at - AROUND + after), at + 1 + after).map(toExcerptLine);
}

const toExcerptLine = (row: MessageRow & { is_on_path: boolean }): ExcerptLine => ({
  id: row.id,
  role: row.role,
  sender_name: row.sender_name,
  content: row.content,
  created_at: row.created_at,
  ...(row.edited_at !== null && { edited_at: row.edited_at }),
  ...(row.role === "assistant" && row.edited_by !== null && { edited_by: row.edited_by }),
  ...(row.audience === "people" && { audience: row.audience }),
  ...(!row.is_on_path && { other_branch: true as const }),
});
