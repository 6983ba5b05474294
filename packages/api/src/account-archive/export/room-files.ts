import type { StreamedFile } from "@soul-hub/soul-formats";
import { type AccountContext, participantId } from "../../caller/caller.ts";
import { type MyRoom, readMyRooms } from "../../chat/history/my-rooms.queries.ts";
import type { ArchiveCounts, NewRoomLine } from "../archive-format.ts";
import { jsonLine } from "./json-bytes.ts";
import { readInPages } from "./read-in-pages.ts";

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
  const messages = readInPages(PAGE, (after, size) =>
    db
      .selectFrom("chat_messages")
      .select([
        "id",
        "prev_id",
        "parent_id",
        "role",
        "sender",
        "sender_name",
        "content",
        "audience",
      ])
      .select(["created_at", "edited_at", "edited_by", "removed_at", "made_by", "imported"])
      .where("room_id", "=", id)
      .where("id", ">", after)
      .orderBy("id")
      .limit(size)
      .execute(),
  );
  for await (const { role, audience, sender, removed_at, ...message } of messages) {
    counts.lines++;
    yield line({
      kind: "line",
      ...message,
      role: role as "user" | "assistant",
      is_mine: sender === me,
      audience: audience as "room" | "people",
      removed: removed_at !== null,
    });
  }
}

/** An export also writes fields that an import does not read. */
const line = <Line extends NewRoomLine>(line: Line): Uint8Array => jsonLine(line);
