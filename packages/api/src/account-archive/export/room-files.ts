import type { StreamedFile } from "@soul-hub/soul-formats";
import { sql } from "kysely";
import { type AccountContext, type Caller, participantId } from "../../caller/caller.ts";
import { type MyRoom, readMyRooms } from "../../chat/history/my-rooms.queries.ts";
import type { Db } from "../../db/database.ts";
import type { ArchiveCounts, NewRoomLine } from "../archive-format.ts";
import { jsonLine } from "./json-bytes.ts";
import { readInPages } from "./read-in-pages.ts";

/** The most rooms of an archive. Their rows are read at once, their messages are not. */
const MAX_ROOMS = 10_000;
/** Messages per statement. */
const PAGE = 500;

/**
 * A file for each room that the caller may enter, and owns or has written in. Of the rooms of a soul
 * that the hub's staff hide, it holds the caller's own lines (0076).
 */
export async function* roomFiles(
  ctx: AccountContext,
  counts: ArchiveCounts,
): AsyncGenerator<StreamedFile> {
  const { rooms, unchecked } = await readMyRooms(ctx, { atMost: MAX_ROOMS, withHidden: true });
  counts.unchecked = unchecked;
  for (const room of rooms.toSorted((a, b) => a.id - b.id)) {
    if (!(await isOwnRoom(ctx.db, ctx.caller, room.id))) continue;
    counts.rooms++;
    yield { path: `rooms/${counts.rooms}.ndjson`, pieces: roomLines(ctx, room, counts) };
  }
}

/** Reports whether the caller owns the room or has written in it. */
export async function isOwnRoom(db: Db, caller: Caller, id: number): Promise<boolean> {
  const me = participantId(caller);
  const { rows } = await sql`
    select from chat_rooms where id = ${id} and (owner = ${me} or exists (
      select from chat_messages where room_id = chat_rooms.id and sender = ${me}))`.execute(db);
  return rows.length > 0;
}

async function* roomLines(
  { db, caller }: AccountContext,
  room: MyRoom,
  counts: ArchiveCounts,
): AsyncGenerator<Uint8Array> {
  const me = participantId(caller);
  const stored = await db
    .selectFrom("chat_rooms")
    .select(["title", "summary", "summarised_to", "active_id", "created_at", "updated_at"])
    .where("id", "=", room.id)
    .executeTakeFirst();
  if (!stored) return;
  const { id, soul_id, soul_title, session_token, is_private, is_hidden } = room;
  yield jsonLine<NewRoomLine>({
    kind: "room",
    id,
    soul_id,
    soul_title,
    session_token,
    is_private,
    is_mine: room.owner === me,
    ...stored,
    ...(is_hidden && { summary: null, summarised_to: 0, active_id: null }),
    ...(is_hidden && room.owner !== me && { title: null }),
  });
  const messages = db
    .selectFrom("chat_messages")
    .select(["id", "prev_id", "parent_id", "role", "sender", "sender_name", "content", "audience"])
    .select(["created_at", "edited_at", "edited_by", "removed_at", "made_by", "imported"])
    .where("room_id", "=", id)
    .$if(is_hidden, (lines) => lines.where("sender", "=", me));
  for await (const row of readInPages(PAGE, messages)) {
    const { role, audience, sender, removed_at, ...message } = row;
    counts.lines++;
    yield jsonLine<NewRoomLine>({
      kind: "line",
      ...message,
      role: role as "user" | "assistant",
      is_mine: sender === me,
      audience: audience as "room" | "people",
      removed: removed_at !== null,
    });
  }
}
