import { sql } from "kysely";
import { batchedRead } from "../db/batched-read.ts";
import type { Db } from "../db/entities.ts";
import type { RoomRecord } from "./chat-room.queries.ts";
import { type HistoryLine, WINDOW_CHARS, WINDOW_MESSAGES } from "./prompt.ts";
import { splitRoomKey } from "./room-key.ts";

/** A room with what a prompt may hold of it. */
export interface RememberedRoom extends RoomRecord {
  summary: string | null;
  /** The newest lines, oldest first. */
  history: HistoryLine[];
}

/** By key, gathered per turn of the event loop. A room nobody has written in has no row. */
export type MemoryReads = (key: string) => Promise<RememberedRoom | undefined>;

/** Each room's memory may be half a megabyte. */
const MAX_GATHERED = 50;

export const createMemoryReads = (db: Db): MemoryReads =>
  batchedRead(async (keys: string[]) => {
    const rooms = await readRooms(db, keys);
    return new Map(rooms.map((room) => [room.key, room]));
  }, MAX_GATHERED);

async function readRooms(db: Db, keys: string[]): Promise<(RememberedRoom & { key: string })[]> {
  const names = keys.map(splitRoomKey);
  const { rows } = await sql<RememberedRoom & { key: string }>`
    select soul_id || '/' || token_hash as key, id, owner, is_private, head_id, summary,
      coalesce((
        select json_agg(json_build_object(
          'role', role, 'sender_name', sender_name, 'content', content) order by id)
        from (
          select id, role, sender_name, left(content, ${WINDOW_CHARS}) as content
          from chat_messages where room_id = chat_rooms.id
          order by id desc limit ${WINDOW_MESSAGES}) as newest
      ), '[]') as history
    from chat_rooms where (soul_id, token_hash) in (select * from unnest(
      ${names.map(({ soulId }) => soulId)}::bigint[],
      ${names.map(({ tokenHash }) => tokenHash)}::text[]))`.execute(db);
  return rows;
}
