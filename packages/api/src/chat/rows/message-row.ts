import { type RawBuilder, sql } from "kysely";
import type { MadeBy, Reaction, RoomLine, RoomMessage } from "../../rooms/room-events.ts";
import type { StoredMadeBy } from "../chat-message.entity.ts";

/** Reactions are listed with at most this many names (0038). */
const REACTION_NAMES = 10;

/** A message as {@link messageColumns} select it. */
export interface MessageRow {
  id: number;
  prev_id: number;
  parent_id: number | null;
  role: "user" | "assistant";
  sender_name: string;
  content: string;
  created_at: string;
  made_by: StoredMadeBy | null;
  audience: "room" | "people";
  revision: number;
  edited_at: string | null;
  edited_by: string | null;
  is_removed: boolean;
  removed_by: "moderator" | null;
  imported: boolean;
  reactions: Reaction[] | null;
}

/** Formats a time (decisions §2). The driver does so only outside of JSON. */
export const utcText = (column: string): RawBuilder<string> =>
  sql`to_char(${sql.ref(column)}, 'YYYY-MM-DD HH24:MI:SS')`;

/**
 * Selects a message of the table or function `line`. Only a message that changed can have
 * reactions, so that an unchanged one needs no second read.
 */
export const messageColumns: RawBuilder<unknown> = sql`
  line.id, line.prev_id, nullif(coalesce(line.parent_id, line.prev_id), 0) as parent_id,
  line.role, line.sender_name, line.content, ${utcText("line.created_at")} as created_at, line.made_by, line.audience, line.revision,
  ${utcText("line.edited_at")} as edited_at, line.edited_by,
  line.removed_at is not null as is_removed, line.removed_by, line.imported,
  case when line.revision > 0 then (
    select json_agg(json_build_object('emoji', emoji, 'count', count, 'names', names)
      order by since, emoji)
    from (
      select emoji, count(*) as count, min(created_at) as since,
        (array_agg(name order by created_at, participant))[1:${sql.lit(REACTION_NAMES)}] as names
      from message_reactions where message_id = line.id group by emoji) as reaction
  ) end as reactions`;

/** Turns a row into a message. Fields with their default are left out. */
export function toMessage(row: MessageRow): RoomMessage {
  const { id, prev_id, parent_id, role, sender_name, content, created_at } = row;
  return {
    id,
    prev_id,
    parent_id,
    role,
    sender_name,
    content,
    created_at,
    ...(role === "assistant" && { made_by: withEditor(row) }),
    ...(row.audience === "people" && { audience: row.audience }),
    ...(row.edited_at !== null && { edited_at: row.edited_at }),
    ...(row.is_removed && { removed: true as const }),
    ...(row.removed_by && { removed_by: row.removed_by }),
    ...(row.imported && { imported: true as const }),
    ...(row.reactions && { reactions: row.reactions }),
    ...(row.revision > 0 && { revision: row.revision }),
  };
}

/** Returns a message without the id of the one before, which only the log needs. */
export const toLine = ({ prev_id: _, ...line }: RoomMessage): RoomLine => line;

const withEditor = ({ made_by, edited_by }: MessageRow): MadeBy | null =>
  made_by && { ...made_by, edited_by };
