import { slugOf } from "@soul-hub/soul-names";
import { assertPass, participantId } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { authorizeReader } from "../access/authorize-room.ts";
import { settingsFor } from "../access/settings-for.ts";
import { collectNewest } from "../history/collect-messages.ts";
import { pathReader, readNewest } from "../rows/chat-room.queries.ts";
import { toLine } from "../rows/message-row.ts";
import { type RoomName, roomKey } from "../rows/room-key.ts";
import { readChanged } from "../rows/room-settings.queries.ts";
import { toMarkdown } from "./markdown-conversation.ts";

interface ExportQuestion extends RoomName {
  /** `md`: the room's path. `json`: its whole log. */
  format: "md" | "json";
}

/** Limits of an export (0042). One page holds at most 16 million characters, too. */
const BOUNDS = { messages: 10_000, chars: 16_000_000, pageSize: 500 };

/**
 * Exports a room's newest messages as a text: GET /api/chat-export (0042). A key needs a pass, unless
 * it is that of the room's owner.
 * @throws HubError `pass_required`, `pass_expired`, those of authorizeRoom
 */
export async function exportRoom(ctx: CallContext, { format, ...name }: ExportQuestion) {
  const reader = participantId(ctx.caller);
  const record = await ctx.hub.chatRooms(roomKey(name), reader);
  if (record?.owner !== reader) assertPass(ctx.caller);
  const { key, mayUse } = await authorizeReader(ctx, name, async () => record);
  const { room: stored } = await readChanged(ctx.db, key);
  const room = stored && settingsFor(stored, mayUse);
  const soulTitle = room?.souls[0]?.title ?? "";
  const readLog = (limit: number, before?: number) => readNewest(ctx.db, key, limit, before);
  const read = format === "md" ? pathReader(ctx.db, key) : readLog;
  const collected = await collectNewest(read, BOUNDS);
  const { is_complete } = collected;
  const messages = collected.messages.map(toLine);
  const title = room?.title || soulTitle;
  const text =
    format === "md"
      ? toMarkdown(title, messages)
      : JSON.stringify(
          { title, soul: { id: name.soul_id, title: soulTitle }, is_complete, messages },
          null,
          2,
        );
  return { filename: `conversation-${slugOf(title)}.${format}`, text, is_complete };
}
