import { type AccountContext, participantId } from "../../accounts/caller.ts";
import { readUnread } from "../reading/unread.queries.ts";
import { readMyRooms } from "./my-rooms.queries.ts";

/**
 * Lists the caller's rooms, with what the caller has not seen of each (decisions §5, 0042).
 * `unchecked_count` counts omitted rooms: their NFT gate cannot be checked, or their session token
 * cannot be decrypted.
 */
export async function listMyChats(ctx: AccountContext) {
  const { rooms, unchecked } = await readMyRooms(ctx);
  const states = await readUnread(
    ctx,
    rooms.map(({ id }) => id),
  );
  const sessions = rooms.flatMap((room) => {
    const { id, owner, summary, updated_at, ...named } = room;
    const state = states.get(id);
    // A room that was closed to the caller between the two statements has no state.
    if (!state) return [];
    const is_owner = owner === participantId(ctx.caller);
    return { ...named, is_owner, summary: summary ?? "", last_updated: updated_at, ...state };
  });
  return { sessions, unchecked_count: unchecked };
}
