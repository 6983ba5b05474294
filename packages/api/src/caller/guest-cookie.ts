import type { RequestContext } from "../context.ts";
import { GUEST_COOKIE_SECONDS, newGuestIdentity, signGuestCookie } from "./guest-id.ts";

/** Makes the browser of a call a new guest, if it was one (0077). */
export function replaceGuestCookie(ctx: RequestContext): void {
  if (ctx.guestOfCookie() === null) return;
  const cookie = signGuestCookie(ctx.hub.vault, newGuestIdentity(Date.now()));
  ctx.setCookie("guest", cookie, { maxAge: GUEST_COOKIE_SECONDS });
}

/** Clears the session cookie. The next person at the machine is another guest (0077). */
export function signOutBrowser(ctx: RequestContext): void {
  ctx.setCookie("session", "", { maxAge: 0 });
  replaceGuestCookie(ctx);
}
