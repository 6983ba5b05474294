import type { CallContext } from "../../context.ts";
import { mailAccount } from "../../mail/mail-account.ts";
import { passwordChanged } from "../account-mails.ts";
import type { PasswordReset } from "../accounts.schema.ts";
import { issueApiKey } from "../api-key.ts";
import { endLinks, readLink, takeLink } from "../links/account-links.ts";
import { assertNotOwnName } from "../passwords/password-rules.ts";

/**
 * Sets a new password with a link, once: POST /api/reset-password (0059). Ends all sessions and
 * other links, except those that take a change of the address back.
 * @throws HubError `token_invalid`, `invalid_input`, `overloaded`
 */
export async function resetPassword(
  ctx: CallContext,
  { token, new_password, revoke_keys = false }: PasswordReset,
) {
  // An unknown token costs no password hash.
  const { account_id: id } = await readLink(ctx.db, token, ["reset-password"]);
  const account = await ctx.db
    .selectFrom("accounts")
    .select(["username", "email"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  assertNotOwnName("new_password", new_password, account);
  const password_hash = await ctx.hub.passwords.hash(new_password);
  const issued = revoke_keys ? issueApiKey(ctx.hub.vault, account.username) : null;
  await ctx.db.transaction().execute(async (tx) => {
    await takeLink(tx, token, ["reset-password"]);
    await tx
      .updateTable("accounts")
      .set({ password_hash, ...issued?.columns })
      .where("id", "=", id)
      .execute();
    await tx.deleteFrom("sessions").where("account_id", "=", id).execute();
    if (issued) await tx.deleteFrom("api_keys").where("account_id", "=", id).execute();
    await endLinks(tx, id);
  });
  ctx.hub.rooms.recheckAll({ participantId: `account:${id}` });
  mailAccount(ctx, id, passwordChanged);
  const message = "The password is changed. Every browser has to sign in again.";
  return { message: issued ? `${message} All API keys are revoked.` : message };
}
