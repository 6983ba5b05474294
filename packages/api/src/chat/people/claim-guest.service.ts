import type { AccountContext } from "../../caller/caller.ts";
import { replaceGuestCookie } from "../../caller/guest-cookie.ts";
import { callFunction } from "../../db/sql-functions.ts";
import { publishRevision } from "../rows/revision-step.ts";

/** A room that a claim concerns. */
interface ClaimedRoom {
  key: string;
  /** The room's revision if messages changed, else null. */
  revision: number | null;
  /** True for a conversation that is the account's now. */
  is_moved: boolean;
}

/**
 * Moves the conversations of the cookie's guest to the caller's account: POST /api/claim-guest
 * (0077). All servers end the guest's sessions and forget who owns the rooms.
 */
export async function claimGuest(ctx: AccountContext) {
  const { rooms } = ctx.hub;
  const guest = ctx.guestOfCookie();
  const touched =
    guest === null
      ? []
      : await callFunction<ClaimedRoom>(ctx.db, "claim_guest", {
          of_guest: guest,
          claimer: ctx.caller.account.id,
        });
  replaceGuestCookie(ctx);
  if (guest !== null) rooms.dismiss(guest);
  if (touched.length > 0) rooms.recheckAll({ roomPrefixes: touched.map(({ key }) => key) });
  for (const { key, revision } of touched) {
    if (guest !== null) await rooms.leave(key, guest);
    if (revision !== null) publishRevision(rooms, { key, revision });
  }
  const moved = touched.filter(({ is_moved }) => is_moved).length;
  const what = moved === 1 ? "1 conversation is" : `${moved} conversations are`;
  return { message: `${what} yours now.`, rooms: moved };
}
