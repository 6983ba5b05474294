import { type AccountContext, participantId } from "../../caller/caller.ts";
import { type RoomName, roomKey } from "../rows/room-key.ts";
import { readMyRooms } from "./my-rooms.queries.ts";
import { readUnread } from "./unread.queries.ts";

/**
 * Lists the caller's rooms with the unread messages of each (decisions §5, 0042).
 * `unchecked_count` counts omitted rooms: their session token cannot be decrypted, or a named key
 * lacks the scope of their private soul.
 */
export async function listMyChats(ctx: AccountContext) {
  const { rooms, unchecked } = await readMyRooms(ctx, { isList: true });
  const states = await readUnread(
    ctx,
    rooms.map(({ id }) => id),
  );
  const present = await Promise.all(rooms.map((room) => namesOfOthers(ctx, room)));
  const sessions = rooms.flatMap((room, at) => {
    const { id, owner, summary, updated_at, is_hidden: _, ...named } = room;
    const state = states.get(id);
    // A hidden room, and one that was closed to the caller since the first statement, has no state.
    if (!state) return [];
    const is_owner = owner === participantId(ctx.caller);
    const others_online = present[at] ?? [];
    const given = { ...named, is_owner, summary: summary ?? "", last_updated: updated_at };
    return { ...given, ...state, others_online };
  });
  return { sessions, unchecked_count: unchecked };
}

const MAX_NAMES = 10;

/** Returns the names of the people in a room, without the caller. */
async function namesOfOthers(ctx: AccountContext, room: RoomName): Promise<string[]> {
  const present = await ctx.hub.rooms.present(roomKey(room));
  const self = participantId(ctx.caller);
  const others = [...present.values()].filter(({ id }) => id !== self);
  return others.slice(0, MAX_NAMES).map(({ name }) => name);
}
