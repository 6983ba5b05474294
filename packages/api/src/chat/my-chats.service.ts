import { participantId } from "../accounts/caller.ts";
import type { AccountContext } from "../context.ts";
import { utcText } from "../db/utc-text.ts";
import { openSessionToken } from "./room-key.ts";

/** Latest first (decisions §2). */
const MAX_CHATS = 200;

/**
 * The rooms that the caller owns or has written in and may still enter: private rooms of others
 * and souls that they no longer see are left out, and rooms without a message (decisions §5).
 */
export async function listMyChats({ hub, db, caller }: AccountContext) {
  const me = participantId(caller);
  const rooms = await db
    .selectFrom("chat_rooms")
    .innerJoin("souls", "souls.id", "chat_rooms.soul_id")
    .select(["chat_rooms.soul_id", "token_sealed", "summary", "chat_rooms.updated_at"])
    // Two look-ups by index; an "or" between them would read every room there is.
    .where("chat_rooms.id", "in", (eb) =>
      eb
        .selectFrom("chat_rooms as owned")
        .select("owned.id")
        .where("owned.owner", "=", me)
        .union(eb.selectFrom("chat_messages").select("room_id as id").where("sender", "=", me)),
    )
    .where("head_id", ">", 0)
    .where((eb) => eb.or([eb("is_private", "=", false), eb("owner", "=", me)]))
    .where((eb) =>
      eb.or([eb("souls.is_public", "=", 1), eb("souls.user_id", "=", caller.account.id)]),
    )
    .orderBy("chat_rooms.updated_at", "desc")
    .orderBy("chat_rooms.id", "desc")
    .limit(MAX_CHATS)
    .execute();
  return {
    sessions: rooms.map(({ soul_id, token_sealed, summary, updated_at }) => ({
      session_token: openSessionToken(hub.vault, soul_id, token_sealed),
      soul_id,
      summary: summary ?? "",
      last_updated: utcText(updated_at),
    })),
  };
}
