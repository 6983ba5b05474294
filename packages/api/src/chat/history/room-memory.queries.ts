import { type RawBuilder, sql } from "kysely";
import { createDataLoader } from "../../db/data-loader.ts";
import type { Db } from "../../db/database.ts";
import type { RoomSoul } from "../chat-room.entity.ts";
import { type HistoryLine, WINDOW_CHARS, WINDOW_MESSAGES } from "../send/prompt.ts";
import { type RoomRecord, recordColumns, selectRooms } from "./chat-room.queries.ts";

declare module "../../context.ts" {
  interface Hub {
    memories: MemoryReads;
  }
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
  /** The newest messages of the path that souls may read, oldest first. */
  history: HistoryLine[];
}

/** The part of a room that a prompt contains, apart from the new question. */
type Memory = Pick<RememberedRoom, "history" | "summary" | "summary_version">;

/** Reads rooms with their memory, batched per turn of the event loop. */
export type MemoryReads = (key: string) => Promise<RememberedRoom | undefined>;

/** Rooms per query. The memory of one room takes up to half a megabyte. */
const MAX_BATCH = 50;

export const createMemoryReads = (db: Db): MemoryReads =>
  createDataLoader(async (keys: string[]) => {
    const rooms = await selectRooms(db, keys)
      .select([...recordColumns, "summary", "path_epoch", "souls"])
      .select([summaryVersion.as("summary_version"), pathEnd.as("leaf_id")])
      .select(promptLines(newestOnPath).as("history"))
      .execute();
    return new Map(rooms.map((room) => [room.key, room]));
  }, MAX_BATCH);

/** The id at which the path of a row of `chat_rooms` ends. */
export const pathEnd = sql<number>`coalesce(chat_rooms.active_id, chat_rooms.head_id)`;

// Only one of the two functions runs: a room that never branched is read as before (0038).
const newestOnPath = sql`(
  select * from newest_messages(chat_rooms.id, null, ${WINDOW_MESSAGES})
    where not chat_rooms.is_branched
  union all
  select * from path_messages(chat_rooms.id, ${pathEnd}, null, ${WINDOW_MESSAGES})
    where chat_rooms.is_branched)`;

/** Turns messages into the lines of a prompt. No soul reads a message for people only. */
const promptLines = (messages: RawBuilder<unknown>) => sql<HistoryLine[]>`coalesce((
  select json_agg(json_build_object(
    'role', role, 'sender_name', sender_name, 'content', content) order by id)
  from (
    select id, role, sender_name, left(content, ${WINDOW_CHARS}) as content
    from ${messages} as line where audience = 'room') as newest), '[]')`;

const summaryVersion = sql<number | null>`case when chat_rooms.summary is not null then (
  select version from room_summaries as kept
  where kept.room_id = chat_rooms.id and kept.covers_to = chat_rooms.summarised_to
    and kept.text = chat_rooms.summary
  order by version desc limit 1) end`;

/** Reads the memory for a prompt that continues the message `leafId` of a room. */
export async function readMemoryTo(db: Db, roomId: number, leafId: number): Promise<Memory> {
  const messages = sql`path_messages(${roomId}, ${leafId}, null, ${WINDOW_MESSAGES})`;
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
