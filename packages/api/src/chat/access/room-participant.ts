import { participantId } from "../../caller/caller.ts";
import { GUEST_COOKIE_SECONDS, guestLabel } from "../../caller/guest-id.ts";
import type { CallContext } from "../../context.ts";
import type { Participant } from "../../rooms/ports/presence-store.ts";
import type { ViewerState } from "../../rooms/room-events.ts";
import type { RoomRecord } from "../rows/chat-room.queries.ts";

/** Returns the participant that represents the caller in rooms. */
export function participantOf({ hub, caller }: Pick<CallContext, "hub" | "caller">): Participant {
  const id = participantId(caller);
  if ("account" in caller) return { id, name: caller.account.username, kind: "member" };
  const chosen = caller.kind === "guest" ? caller.guest.name : null;
  return { id, name: guestLabel(hub.vault, id, chosen), kind: "guest" };
}

/**
 * Reports whether the caller has an id of its own. Guests without a cookie do not: those with the
 * same IP address and user agent share an id. They own no rooms and no messages.
 */
export const canOwn = ({ caller }: Pick<CallContext, "caller">): boolean =>
  caller.kind !== "guest" || caller.guest.hasCookie;

/**
 * Returns whether the room is private and whether the participant owns it, with the participant's
 * own name and kind.
 */
export function viewerStateOf(
  { id, name, kind }: Participant,
  { record }: { record: Pick<RoomRecord, "owner" | "is_private"> | undefined },
): ViewerState {
  const is_owner = record?.owner === id;
  return { is_private: record?.is_private ?? false, you: { name, kind, is_owner } };
}

/**
 * Merges a guest's presence from before it got its cookie into its presence with the cookie.
 * Otherwise the room would count the guest twice.
 */
export async function mergeGuestPresence(
  { hub, caller }: Pick<CallContext, "hub" | "caller">,
  key: string,
  participant: Participant,
): Promise<void> {
  if (caller.kind !== "guest" || caller.guest.before === null) return;
  await hub.rooms.adopt(key, `guest:${caller.guest.before}`, participant);
}

/**
 * Sets the guest cookie, which identifies a guest in later calls (decisions §3).
 * @returns the call with the cookie's guest as its caller. Rows that must belong to the guest later
 *   use this guest's id. Without a cookie, all guests with one address and browser share an id.
 */
export function issueGuestCookie(ctx: CallContext): CallContext {
  // A message over a WebSocket cannot set a cookie.
  if (ctx.caller.kind !== "guest" || ctx.transport === "socket") return ctx;
  const issued = ctx.caller.guest.keep();
  if (!issued) return ctx;
  ctx.setCookie("guest", issued.cookie, { maxAge: GUEST_COOKIE_SECONDS });
  return { ...ctx, caller: { kind: "guest", guest: issued.guest } };
}
