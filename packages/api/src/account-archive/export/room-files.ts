import type { StreamedFile } from "@soul-hub/soul-formats";
import { type AccountContext, participantId } from "../../caller/caller.ts";
import { type MyRoom, readMyRooms } from "../../chat/history/my-rooms.queries.ts";
import type { ArchivedLine, ArchivedRoom } from "../archive-format.ts";
import type { ArchiveCounts } from "./archive-counts.ts";

/** The most rooms of an archive. Their rows are read at once, their messages are not. */
const MAX_ROOMS = 10_000;
/** Messages per statement. */
const PAGE = 500;

/** A file for each room that the caller may enter, and owns or has written in. */
export async function* roomFiles(
  ctx: AccountContext,
  counts: ArchiveCounts,
): AsyncGenerator<StreamedFile> {
  const { rooms, unchecked } = await readMyRooms(ctx, MAX_ROOMS);
  counts.unchecked = unchecked;
  for (const room of rooms.toSorted((a, b) => a.id - b.id)) {
    if (room.owner !== participantId(ctx.caller) && !(await hasWritten(ctx, room))) continue;
    counts.rooms++;
    yield { path: `rooms/${counts.rooms}.ndjson`, pieces: roomLines(ctx, room, counts) };
  }
}

const hasWritten = async ({ db, caller }: AccountContext, { id }: MyRoom): Promise<boolean> =>
  (await db
    .selectFrom("chat_messages")
    .select("id")
    .where("room_id", "=", id)
    .where("sender", "=", participantId(caller))
    .limit(1)
    .executeTakeFirst()) !== undefined;

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
  const { id, soul_id, soul_title, session_token, is_private } = room;
  yield line({
    kind: "room",
    id,
    soul_id,
    soul_title,
    session_token,
    is_private,
    is_mine: room.owner === me,
    ...stored,
  });
  let after = 0;
  for (;;) {
    const page = await db
      .selectFrom("chat_messages")
      .selectAll()
      .where("room_id", "=", id)
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE)
      .execute();
    for (const message of page) {
      counts.lines++;
      yield line({
        kind: "line",
        id: message.id,
        prev_id: message.prev_id,
        parent_id: message.parent_id,
        role: message.role as ArchivedLine["role"],
        is_mine: message.sender === me,
        sender_name: message.sender_name,
        content: message.content,
        audience: message.audience as ArchivedLine["audience"],
        created_at: message.created_at,
        edited_at: message.edited_at,
        edited_by: message.edited_by,
        removed: message.removed_at !== null,
        made_by: message.made_by,
        imported: message.imported,
      });
    }
    after = page.at(-1)?.id ?? 0;
    if (page.length < PAGE) return;
  }
}

const line = (part: ArchivedRoom | ArchivedLine): Uint8Array =>
  Buffer.from(`${JSON.stringify(part)}\n`);
