import { type AccountContext, participantId } from "../../caller/caller.ts";
import { signOutBrowser } from "../../caller/guest-cookie.ts";
import { HubError, invalidField } from "../../errors.ts";
import { mailAccount } from "../../mail/mail-account.ts";
import { passwordChanged } from "../account-mails.ts";
import type { PasswordChange } from "../accounts.schema.ts";
import { issueApiKey } from "../api-key.ts";
import { endLinks } from "../links/account-links.ts";
import { assertNotOwnName, assertOwnPassword, isSamePassword } from "./password-rules.ts";

/**
 * Changes the password and ends all sessions, including the caller's, and the links of the account
 * (0059). The API keys stay valid unless the caller revokes them (decisions §3).
 * @returns also the new main key, if the keys were revoked
 * @throws HubError `invalid_input`, `wrong_password`, `rate_limited`, `overloaded`
 */
export async function changePassword(ctx: AccountContext, change: PasswordChange) {
  const { current_password, new_password, confirm_password, revoke_keys = false } = change;
  if (!isSamePassword(new_password, confirm_password)) {
    throw invalidField("confirm_password", "must equal the new password");
  }
  if (isSamePassword(new_password, current_password)) {
    throw invalidField("new_password", "must differ from the current password");
  }
  const { id } = ctx.caller.account;
  const account = await ctx.db
    .selectFrom("accounts")
    .select(["username", "email", "password_hash"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  assertNotOwnName("new_password", new_password, account);
  await assertOwnPassword(ctx, account, current_password);

  const password_hash = await ctx.hub.passwords.hash(new_password);
  const issued = revoke_keys ? issueApiKey(ctx.hub.vault, account.username) : null;
  await ctx.db.transaction().execute(async (tx) => {
    await tx
      .updateTable("accounts")
      .set({ password_hash, ...issued?.columns })
      .where("id", "=", id)
      // Of two concurrent changes the second fails, because its current password is outdated.
      .where("password_hash", "=", account.password_hash)
      .returning("id")
      .executeTakeFirstOrThrow(() => new HubError("wrong_password"));
    await tx.deleteFrom("sessions").where("account_id", "=", id).execute();
    await endLinks(tx, id);
    if (issued) await tx.deleteFrom("api_keys").where("account_id", "=", id).execute();
  });
  if (ctx.caller.kind === "member") signOutBrowser(ctx);
  ctx.hub.rooms.recheckAll({ participantId: participantId(ctx.caller) });
  mailAccount(ctx, id, passwordChanged);
  const message = "The password is changed. Every browser has to sign in again.";
  if (!issued) return { message };
  return { message: `${message} All API keys are revoked.`, api_key: issued.apiKey };
}
