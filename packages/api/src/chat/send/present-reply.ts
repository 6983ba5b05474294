import type { CallContext } from "../../context.ts";
import { authorizeRoom } from "../access/authorize-room.ts";
import type { RoomName } from "../access/room-key.ts";

/**
 * How POST /api/chat answers a repeated Idempotency-Key. The text of the reply is not stored with
 * the key: it may be edited or removed, and a repeat reads it (decisions §5, Changing messages).
 */
export const presentReply = {
  keep({ reply: _, ...kept }: { reply?: string }) {
    return kept;
  },

  /** @throws HubError those of authorizeRoom, if the reply was edited */
  async restore(ctx: CallContext, name: RoomName, kept: { message_id?: number }) {
    // The first release stored the whole answer, without the id.
    if (kept.message_id === undefined) return kept;
    const line = await ctx.db
      .selectFrom("chat_messages")
      .select(["content", "edited_at", "removed_at"])
      .where("id", "=", kept.message_id)
      .executeTakeFirst();
    // Without a row, the room was deleted.
    if (!line || line.removed_at !== null) return { ...kept, reply: "[removed]", removed: true };
    // The caller has received the first text, but perhaps may not read the new one.
    if (line.edited_at !== null) await authorizeRoom(ctx, name, ctx.hub.chatRooms);
    return { ...kept, reply: line.content };
  },
};
