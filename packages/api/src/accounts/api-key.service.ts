import { type AccountContext, participantId } from "../caller/caller.ts";
import type { CallContext } from "../context.ts";
import { HubError, invalidField } from "../errors.ts";
import { mailAccount } from "../mail/mail-account.ts";
import { keyReplaced } from "./account-mails.ts";
import { issueApiKey, openApiKey } from "./api-key.ts";
import { assertOwnPassword } from "./passwords/password-rules.ts";

/**
 * Replaces the API key. The old key stops working at once (decisions §3). A session must also send
 * the password, so that an unattended browser does not reveal a key.
 * @throws HubError `invalid_input`, `wrong_password`, `rate_limited`, `overloaded`
 */
export async function rotateApiKey(ctx: AccountContext, password: string | undefined) {
  const { id, username } = ctx.caller.account;
  const { apiKey, columns } = issueApiKey(ctx.hub.vault, username);
  const rotation = ctx.db.updateTable("accounts").set(columns).where("id", "=", id).returning("id");
  if (ctx.caller.kind === "member") {
    if (password === undefined) throw invalidField("password", "is required");
    const holder = await readKeyHolder(ctx);
    await assertOwnPassword(ctx, holder, password);
    // A change of the password in between ends the session, whose holder may not get a key then.
    await rotation
      .where("password_hash", "=", holder.password_hash)
      .executeTakeFirstOrThrow(() => new HubError("wrong_password"));
  } else await rotation.execute();
  ctx.hub.rooms.recheckAll({ participantId: participantId(ctx.caller) });
  mailAccount(ctx, id, keyReplaced);
  return { message: "This is your new API key. The old one no longer works.", api_key: apiKey };
}

/**
 * Returns the API key to an authenticated owner who sends the password (0006).
 * @throws HubError `wrong_password`, `rate_limited`, `overloaded`
 */
export async function showApiKey(ctx: AccountContext, password: string) {
  const account = await readKeyHolder(ctx);
  await assertOwnPassword(ctx, account, password);
  const { api_key_sealed } = account;
  // `api_key_sealed` is null for the hub's own account only.
  if (!api_key_sealed) throw new HubError("wrong_password");
  return {
    message: "Treat this key like a password.",
    api_key: await readOrReplaceApiKey(ctx, { ...account, api_key_sealed }),
  };
}

/** Reads the password hash and the stored key of the caller's account. */
export const readKeyHolder = ({ db, caller }: AccountContext) =>
  db
    .selectFrom("accounts")
    .select(["id", "username", "password_hash", "api_key_sealed"])
    .where("id", "=", caller.account.id)
    .executeTakeFirstOrThrow();

/**
 * Decrypts the stored API key of an account whose password was just verified. A key that cannot be
 * decrypted (master key removed, row altered) is replaced, so that its owner is not locked out.
 */
export async function readOrReplaceApiKey(
  ctx: CallContext,
  { id, username, api_key_sealed }: { id: number; username: string; api_key_sealed: string },
): Promise<string> {
  const { vault, log, rooms } = ctx.hub;
  try {
    return openApiKey(vault, username, api_key_sealed);
  } catch (error) {
    log.warn({ err: error, account_id: id }, "A stored API key cannot be decrypted; replacing it");
  }
  const { apiKey, columns } = issueApiKey(vault, username);
  const replaced = await ctx.db
    .updateTable("accounts")
    .set(columns)
    .where("id", "=", id)
    .where("api_key_sealed", "=", api_key_sealed)
    .returning("id")
    .executeTakeFirst();
  if (replaced) {
    // Disconnects the subscriptions that were authenticated by the old key.
    rooms.recheckAll({ participantId: `account:${id}` });
    return apiKey;
  }
  // No row was updated, because a concurrent login has already replaced the key.
  const { api_key_sealed: sealed } = await ctx.db
    .selectFrom("accounts")
    .select("api_key_sealed")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return openApiKey(vault, username, sealed ?? "");
}
