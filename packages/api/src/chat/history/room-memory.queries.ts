import { sql } from "kysely";
import { createDataLoader } from "../../db/data-loader.ts";
import type { Db } from "../../db/database.ts";
import { type HistoryLine, WINDOW_CHARS, WINDOW_MESSAGES } from "../send/prompt.ts";
import { type RoomRecord, selectRooms } from "./chat-room.queries.ts";

declare module "../../context.ts" {
  interface Hub {
    memories: MemoryReads;
  }
}

/** A room with its summary and newest messages, for the prompt. */
export interface RememberedRoom extends RoomRecord {
  summary: string | null;
  /** The newest messages, oldest first. */
  history: HistoryLine[];
}

/** Reads rooms with their memory, batched per turn of the event loop. */
export type MemoryReads = (key: string) => Promise<RememberedRoom | undefined>;

/** Rooms per query. The memory of one room takes up to half a megabyte. */
const MAX_BATCH = 50;

export const createMemoryReads = (db: Db): MemoryReads =>
  createDataLoader(async (keys: string[]) => {
    const rooms = await selectRooms(db, keys)
      .select(["owner", "is_private", "head_id", "summary", newestMessages.as("history")])
      .execute();
    return new Map(rooms.map((room) => [room.key, room]));
  }, MAX_BATCH);

const newestMessages = sql<HistoryLine[]>`coalesce((
  select json_agg(json_build_object(
    'role', role, 'sender_name', sender_name, 'content', content) order by id)
  from (
    select id, role, sender_name, left(content, ${WINDOW_CHARS}) as content
    from newest_messages(chat_rooms.id, null, ${WINDOW_MESSAGES})) as newest), '[]')`;
