import { participantId } from "../accounts/caller.ts";
import { guestName } from "../accounts/guest-id.ts";
import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import type { Participant } from "../rooms/presence-store.ts";
import type { SoulRecord } from "../souls/soul.queries.ts";
import { visibleSoul } from "../souls/soul-access.ts";
import type { RoomRecord } from "./chat-room.queries.ts";
import { type RoomName, roomKey } from "./room-key.ts";

export interface EnteredRoom {
  key: string;
  soul: SoulRecord;
  /** Undefined while nobody has written in it: it then reads as empty. */
  record: RoomRecord | undefined;
}

/**
 * The one answer to "may this caller enter?", for every door (decisions §5): the soul must be one
 * they may see, and a private room is its owner's alone.
 * @throws HubError `soul_not_found`, `private_session`
 */
export async function enterRoom(ctx: CallContext, name: RoomName): Promise<EnteredRoom> {
  const key = roomKey(name);
  const [soul, record] = await Promise.all([
    visibleSoul(ctx, name.soul_id),
    ctx.hub.chatRooms(key),
  ]);
  if (record?.is_private && record.owner !== participantId(ctx.caller)) {
    throw new HubError("private_session");
  }
  return { key, soul, record };
}

/** The caller as the room sees them. */
export function participantOf({ hub, caller }: CallContext): Participant {
  const id = participantId(caller);
  return "account" in caller
    ? { id, name: caller.account.username, kind: "member" }
    : { id, name: guestName(hub.vault, id), kind: "guest" };
}

/**
 * Gives a guest the cookie that it keeps its place with (decisions §3).
 * @returns the call as made by the guest with that cookie, for what is to be theirs later on; the
 *   id they had without it is everybody's with their address and browser
 */
export function keepGuest(ctx: CallContext): CallContext {
  // No answer over a socket can carry a cookie.
  if (ctx.caller.kind !== "guest" || ctx.door === "socket") return ctx;
  const kept = ctx.caller.guest.keep();
  if (!kept) return ctx;
  ctx.setCookie("guest", kept.cookie, { maxAge: GUEST_SECONDS });
  return { ...ctx, caller: { kind: "guest", guest: kept.guest } };
}

const GUEST_SECONDS = 365 * 24 * 3600;
