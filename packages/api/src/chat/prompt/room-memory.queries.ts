import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import type { RoomSettings } from "../../rooms/room-events.ts";
import type { RoomSoul } from "../chat-room.entity.ts";
import { createRoomLoader, type RoomRecord, recordColumns } from "../rows/chat-room.queries.ts";
import { type HistoryLine, WINDOW_CHARS, WINDOW_MESSAGES } from "./prompt.ts";

declare module "../../context.ts" {
  interface Hub {
    memories: MemoryReads;
  }
}

/** A line of a room's history, with the facts about its writer for a prompt. */
export interface RememberedLine extends HistoryLine {
  id: number;
  /** `account:<id>`, `guest:<id>`, or `soul`. */
  sender: string;
  /** The soul that wrote the line; null for a person, and for a reply of an earlier release. */
  soul_id: number | null;
  /** On a reply that has the words of a person: `rewritten by ada`; else null. */
  by_person: string | null;
}

/** A room with its summary and the newest messages of its path, for the prompt. */
export interface RememberedRoom extends RoomRecord {
  summary: string | null;
  /** Null if there is no summary, or a server of schema 2 wrote it. */
  summary_version: number | null;
  /** Id of the message at which the path ends; 0 in a room without messages. */
  leaf_id: number;
  path_epoch: number;
  souls: RoomSoul[] | null;
  answers: RoomSettings["answers"];
  /** The newest messages of the path that souls may read, oldest first. */
  history: RememberedLine[];
}

/** The part of a room that a prompt contains, apart from the new question. */
export type Memory = Pick<RememberedRoom, "history" | "summary" | "summary_version">;

/** Reads a room with its memory and a participant's row, batched per turn of the event loop. */
export type MemoryReads = (
  key: string,
  participant?: string,
) => Promise<RememberedRoom | undefined>;

/** Rooms per query. The memory of one room takes up to half a megabyte. */
const MAX_BATCH = 50;

export const createMemoryReads = (db: Db): MemoryReads =>
  createRoomLoader(
    db,
    (rooms) =>
      rooms
        .select([...recordColumns, "summary", "path_epoch", "souls"])
        .select(sql<RoomSettings["answers"]>`answers`.as("answers"))
        .select([summaryVersion.as("summary_version"), pathEnd.as("leaf_id")])
        .select(promptLines(newestOnPath).as("history")),
    MAX_BATCH,
  );

/** The id at which the path of a row of `chat_rooms` ends. */
export const pathEnd = sql<number>`coalesce(chat_rooms.active_id, chat_rooms.head_id)`;

// A room that never branched is read without a walk through its tree (0038).
const newestOnPath = sql`newest_open_messages(
  chat_rooms.id, case when chat_rooms.is_branched then ${pathEnd} end, ${WINDOW_MESSAGES})`;

/** Whose words a reply of the table or function `line` has, if not those of its soul. */
export const byPerson = sql<string | null>`case when line.role = 'assistant' then case
  when line.imported then 'imported by a person'
  when line.edited_at is not null then 'rewritten by ' || coalesce(line.edited_by, 'a person')
  end end`;

/** Turns messages that souls may read into the lines of a prompt. */
const promptLines = (messages: RawBuilder<unknown>) => sql<RememberedLine[]>`coalesce((
  select json_agg(json_build_object(
    'id', line.id, 'role', role, 'sender', sender, 'sender_name', sender_name,
    'soul_id', (made_by ->> 'soul_id')::bigint, 'content', left(content, ${WINDOW_CHARS}),
    'by_person', ${byPerson})
    order by line.id)
  from ${messages} as line), '[]')`;

const summaryVersion = sql<number | null>`case when chat_rooms.summary is not null then (
  select version from room_summaries as kept
  where kept.room_id = chat_rooms.id and kept.covers_to = chat_rooms.summarised_to
    and kept.text = chat_rooms.summary
  order by version desc limit 1) end`;

/** Reads the memory for a prompt that continues the message `leafId` of a room. */
export async function readMemoryTo(db: Db, roomId: number, leafId: number): Promise<Memory> {
  const messages = sql`newest_open_messages(${roomId}, ${leafId}, ${WINDOW_MESSAGES})`;
  const { rows } = await sql<Memory>`
    select ${promptLines(messages)} as history,
      nullif(chosen.text, '') as summary,
      case when chosen.text <> '' then chosen.version end as summary_version
    from (select) as nothing
      left join path_summary(${roomId}, ${leafId}, null) as chosen on true`.execute(db);
  const [memory] = rows;
  if (!memory) throw new Error("The memory of a path was not read.");
  return memory;
}
