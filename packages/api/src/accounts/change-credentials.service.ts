import type { AccountContext } from "../context.ts";
import { HubError } from "../errors.ts";
import { issueApiKey } from "./api-key.ts";
import { participantId } from "./caller.ts";
import { assertOwnPassword } from "./own-password.ts";
import { hashPassword } from "./password.ts";
import { assertNotOwnName, isSamePassword, refusePassword } from "./password-rules.ts";

interface PasswordChange {
  current_password: string;
  new_password: string;
  confirm_password: string;
}

/**
 * Ends all sessions, the caller's too, and keeps the key (decisions §3).
 * @throws HubError `invalid_input`, `wrong_password`, `rate_limited`, `overloaded`
 */
export async function changePassword(ctx: AccountContext, change: PasswordChange) {
  const { current_password, new_password, confirm_password } = change;
  if (!isSamePassword(new_password, confirm_password)) {
    throw refusePassword("confirm_password", "must equal the new password");
  }
  if (isSamePassword(new_password, current_password)) {
    throw refusePassword("new_password", "must differ from the current password");
  }
  const { id } = ctx.caller.account;
  const account = await ctx.db
    .selectFrom("accounts")
    .select(["username", "email", "password_hash"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  assertNotOwnName("new_password", new_password, account);
  await assertOwnPassword(ctx, account, current_password);

  const password_hash = await hashPassword(new_password);
  await ctx.db.transaction().execute(async (tx) => {
    const changed = await tx
      .updateTable("accounts")
      .set({ password_hash })
      .where("id", "=", id)
      // Of two changes at once the second one's current password is no longer that.
      .where("password_hash", "=", account.password_hash)
      .returning("id")
      .executeTakeFirst();
    if (!changed) throw new HubError("wrong_password");
    await tx.deleteFrom("sessions").where("account_id", "=", id).execute();
  });
  if (ctx.caller.kind === "member") ctx.setCookie("session", "", { maxAge: 0 });
  ctx.hub.rooms.recheckAll({ participantId: participantId(ctx.caller) });
  return { message: "The password is changed. Every browser has to sign in again." };
}

/**
 * A new API key; the old one is refused from here on (decisions §3). An open browser alone must
 * not be a way to a key: a session needs the password, too.
 * @throws HubError `invalid_input`, `wrong_password`, `rate_limited`, `overloaded`
 */
export async function rotateApiKey(ctx: AccountContext, password: string | undefined) {
  const { id, username } = ctx.caller.account;
  if (ctx.caller.kind === "member") {
    if (password === undefined) throw refusePassword("password", "is required");
    const { password_hash } = await ctx.db
      .selectFrom("accounts")
      .select("password_hash")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    await assertOwnPassword(ctx, { username, password_hash }, password);
  }
  const { apiKey, columns } = issueApiKey(ctx.hub.vault, username);
  await ctx.db.updateTable("accounts").set(columns).where("id", "=", id).execute();
  ctx.hub.rooms.recheckAll({ participantId: participantId(ctx.caller) });
  return { message: "This is your new API key. The old one no longer works.", api_key: apiKey };
}
