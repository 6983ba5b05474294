import { participantId } from "../../caller/caller.ts";
import { GUEST_COOKIE_SECONDS, guestLabel } from "../../caller/guest-id.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { reservedUsernames } from "../accounts.schema.ts";
import { isDeletedName } from "../deleted-names/deleted-names.ts";

/**
 * Sets or removes the name of a guest: PUT /api/guest-name (decisions §3). The guest cookie stores
 * the name. Stored messages keep theirs.
 * @returns a message and the name under which the guest is shown from now on
 * @throws HubError `invalid_input` for an account and over WebSocket; `username_taken`
 */
export async function setGuestName(ctx: CallContext, name: string | null) {
  if (ctx.caller.kind !== "guest") {
    throw new HubError("invalid_input", {
      message: "Only guests choose a name. An account is shown with its username.",
    });
  }
  // A message over a WebSocket cannot set a cookie.
  if (ctx.transport === "socket") {
    throw new HubError("invalid_input", { message: "Call this endpoint over HTTP." });
  }
  if (name !== null && (await isUsername(ctx, name))) throw new HubError("username_taken");
  const { cookie, guest } = ctx.caller.guest.rename(name);
  ctx.setCookie("guest", cookie, { maxAge: GUEST_COOKIE_SECONDS });
  const shown = guestLabel(ctx.hub.vault, participantId({ kind: "guest", guest }), name);
  return { message: `You are shown as ${shown}.`, name: shown };
}

async function isUsername({ db, hub }: CallContext, name: string): Promise<boolean> {
  const key = name.toLowerCase();
  if (reservedUsernames.has(key)) return true;
  const account = await db
    .selectFrom("accounts")
    .select("id")
    .where("username_key", "=", key)
    .executeTakeFirst();
  return account !== undefined || isDeletedName(hub.vault, db, key);
}
