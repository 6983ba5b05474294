import type { CallContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { verifyPassword } from "./password.ts";

/**
 * Lets through whoever knows the account's password. Counted like logins: a stolen key or an open
 * browser must not be a way to guess it.
 * @throws HubError `wrong_password`, `rate_limited`, `overloaded`
 */
export async function assertOwnPassword(
  ctx: CallContext,
  account: { username: string; password_hash: string | null },
  password: string,
): Promise<void> {
  const attempt = { name: account.username.toLowerCase(), ipHash: ctx.ipHash() };
  const isRight = await ctx.hub.loginThrottle.guard(attempt, () =>
    verifyPassword(password, account.password_hash),
  );
  if (!isRight) throw new HubError("wrong_password");
}
