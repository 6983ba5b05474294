import type { CallContext } from "../../context.ts";
import { authorizeReader } from "../access/authorize-room.ts";
import { issueGuestCookie } from "../access/room-participant.ts";
import { readNewest, readPath } from "../rows/chat-room.queries.ts";
import type { RoomName } from "../rows/room-key.ts";

interface HistoryQuestion extends RoomName {
  /** Maximum number of messages in the response. */
  limit: number;
  before_id?: number | undefined;
  /** `active` reads the room's path instead of its log (0038). */
  path?: "active" | undefined;
}

/**
 * Reads the newest messages of a room, or those before `before_id`, oldest first (GET /api/chat).
 * @throws HubError as authorizeRoom
 */
export async function readHistory(ctx: CallContext, question: HistoryQuestion) {
  const { key } = await authorizeReader(ctx, question, ctx.hub.chatRooms);
  issueGuestCookie(ctx);
  // One row more than the limit shows whether older messages exist.
  const read = question.path === "active" ? readPath : readNewest;
  const rows = await read(ctx.db, key, question.limit + 1, question.before_id);
  const page = rows.slice(-question.limit);
  return {
    messages: page,
    has_more: rows.length > page.length,
    oldest_id: page[0]?.id ?? null,
  };
}
