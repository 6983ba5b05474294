import type { CallContext } from "../../context.ts";
import { HubError, invalidField } from "../../errors.ts";

/** Compares passwords in NFC: keyboards encode the same characters differently (decisions §2). */
export const isSamePassword = (a: string, b: string): boolean =>
  a.normalize("NFC") === b.normalize("NFC");

/**
 * Refuses a password that equals the username or the email of its account.
 * @throws HubError `invalid_input`
 */
export function assertNotOwnName(
  field: string,
  password: string,
  { username, email }: { username: string; email: string | null },
): void {
  const typed = password.normalize("NFC").toLowerCase();
  if (typed === username.toLowerCase() || typed === email?.toLowerCase()) {
    throw invalidField(field, "must differ from the username and the email");
  }
}

/**
 * Verifies the password of an account. Failures count like failed logins: a stolen key or an
 * unattended browser must not allow guessing the password.
 * @throws HubError `wrong_password`, `rate_limited`, `overloaded`
 */
export async function assertOwnPassword(
  ctx: CallContext,
  account: { username: string; password_hash: string | null },
  password: string,
): Promise<void> {
  const attempt = { name: account.username.toLowerCase(), ipHash: ctx.ipHash() };
  const isRight = await ctx.hub.loginThrottle.guard(attempt, () =>
    ctx.hub.passwords.verify(password, account.password_hash),
  );
  if (!isRight) throw new HubError("wrong_password");
}
