import type { CallContext } from "../../context.ts";
import { authorizeRoom } from "../access/authorize-room.ts";
import type { RoomName } from "../rows/room-key.ts";

/** A reply as POST /api/chat answers it, with or without its text. */
interface Answered {
  reply?: string;
  /** Null for the reply of a soul that failed. */
  message_id?: number | null;
  /** The replies of all souls, if there were several. */
  replies?: Answered[];
}

/**
 * How POST /api/chat answers a repeated Idempotency-Key. The texts of the replies are not stored with
 * the key: they may be edited or removed, and a repeat reads them (decisions §5, Changing messages).
 */
export const presentReply = {
  keep: withoutTexts,

  /** @throws HubError those of authorizeRoom, if a reply was edited */
  async restore(ctx: CallContext, name: RoomName, kept: Answered & { answered?: boolean }) {
    // The first release stored the whole answer, without the id.
    if (kept.message_id === undefined) return kept;
    const { replies, ...first } = kept;
    const present = async (answer: Answered) => ({ ...answer, ...(await read(answer.message_id)) });
    const read = async (id: number | null | undefined) =>
      id ? presentText(ctx, name, id) : { reply: "" };
    const answer = await present(first);
    return {
      ...answer,
      // `message_id` of an unanswered message is its own.
      ...(kept.answered === false && { reply: "" }),
      ...(replies && { replies: await Promise.all(replies.map(present)) }),
    };
  },
};

function withoutTexts({ reply: _, replies, ...kept }: Answered): object {
  return { ...kept, ...(replies && { replies: replies.map(withoutTexts) }) };
}

async function presentText(ctx: CallContext, name: RoomName, id: number) {
  const line = await ctx.db
    .selectFrom("chat_messages")
    .select(["content", "edited_at", "removed_at"])
    .where("id", "=", id)
    .executeTakeFirst();
  // Without a row, the room was deleted.
  if (!line || line.removed_at !== null) return { reply: "[removed]", removed: true };
  // The caller has received the first text, but perhaps may not read the new one.
  if (line.edited_at !== null) await authorizeRoom(ctx, name, ctx.hub.chatRooms);
  return { reply: line.content };
}
