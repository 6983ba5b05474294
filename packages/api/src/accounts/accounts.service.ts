import { sql } from "kysely";
import { moderationOf } from "../caller/assert-standing.ts";
import { type CallerAccount, participantId } from "../caller/caller.ts";
import { signOutBrowser } from "../caller/guest-cookie.ts";
import type { CallContext } from "../context.ts";
import { onViolation } from "../db/database-errors.ts";
import { HubError } from "../errors.ts";
import { type Registration, reservedUsernames } from "./accounts.schema.ts";
import { readOrReplaceApiKey } from "./api-key.service.ts";
import { issueApiKey } from "./api-key.ts";
import { isDeletedName } from "./deleted-names/deleted-names.ts";
import { welcomeByMail } from "./email/verify-email.service.ts";
import { countGuestRooms } from "./guests/guest-rooms.ts";
import { assertRegistrationOpen, insertAccount } from "./invites/registration.ts";
import { assertNotOwnName } from "./passwords/password-rules.ts";
import { countLogin } from "./proof/count-login.ts";
import { assertNotDeleting, endSession, SESSION_SECONDS, startSession } from "./session.service.ts";

/**
 * Creates an account and issues its API key (specification §4.1), with an invite where the hub needs
 * one (0058).
 * @throws HubError `invalid_input`, `username_taken`, `overloaded`, `registration_closed`,
 *   `invite_invalid`
 */
export async function register(
  ctx: CallContext,
  { username, password, email, invite }: Registration,
) {
  assertRegistrationOpen(ctx.hub.config, invite);
  const nameKey = username.toLowerCase();
  assertNotOwnName("password", password, { username, email });
  if (reservedUsernames.has(nameKey)) throw new HubError("username_taken");

  const { apiKey, columns } = issueApiKey(ctx.hub.vault, username);
  const values = {
    username,
    username_key: nameKey,
    email: email.toLowerCase(),
    password_hash: await ctx.hub.passwords.hash(password),
    ...columns,
  };
  const adding = ctx.db.transaction().execute(async (tx) => {
    const added = await insertAccount(tx, ctx.hub.config, { ...values, invite });
    // After the insert, which waits for the deletion of an account with this name.
    if (await isDeletedName(ctx.hub.vault, tx, nameKey)) throw new HubError("username_taken");
    return added;
  });
  const id = await adding.catch(onViolation("accounts_username_key_unique", "username_taken"));
  welcomeByMail(ctx, id);
  return { message: `Welcome, ${username}.`, api_key: apiKey, ...(await countGuestRooms(ctx)) };
}

/**
 * Checks the password, starts a session if requested and returns the API key. An unknown username
 * takes the same time and fails with the same error as a wrong password.
 * @throws HubError those of {@link checkLogin}, `account_deleting` with `deletes_at`
 */
export async function login(
  ctx: CallContext,
  { username, password, remember }: { username: string; password: string; remember: boolean },
) {
  return countLogin(ctx, "password", async () => {
    const account = await checkLogin(ctx, { username, password });
    return completeLogin(ctx, account, remember);
  });
}

/**
 * Checks a username and its password, and counts a failure (0008).
 * @throws HubError `wrong_credentials`, `rate_limited`, `overloaded`
 */
export async function checkLogin(
  ctx: CallContext,
  { username, password }: { username: string; password: string },
) {
  const nameKey = username.toLowerCase();
  const account = await ctx.db
    .selectFrom("accounts")
    .select(["id", "username", "password_hash"])
    .where("username_key", "=", nameKey)
    .executeTakeFirst();
  const isRight = await ctx.hub.loginThrottle.guard({ name: nameKey, ipHash: ctx.ipHash() }, () =>
    ctx.hub.passwords.verify(password, account?.password_hash ?? null),
  );
  if (!isRight || !account) throw new HubError("wrong_credentials");
  return account;
}

/**
 * Starts a session if requested and returns the API key. The caller has proved to be the owner of
 * the account by its password or a passkey (0060).
 * @param account as it was before the proof
 * @throws HubError `wrong_credentials` if the password has changed since; `account_deleting` with
 *   `deletes_at`
 */
export async function completeLogin(
  ctx: CallContext,
  account: { id: number; username: string; password_hash: string | null },
  remember: boolean,
) {
  // A login over tRPC comes from a page and always starts a session. A login over REST starts one
  // only on request (decisions §3).
  const wantsSession = remember || ctx.transport === "trpc";
  const { api_key_sealed, token } = await ctx.db.transaction().execute(async (tx) => {
    // Reads the account again under a lock: a login that runs during a password change must not
    // leave a session behind.
    const current = await tx
      .selectFrom("accounts")
      .select("api_key_sealed")
      .where("id", "=", account.id)
      .where("password_hash", "=", account.password_hash)
      .forShare()
      .executeTakeFirst();
    if (!current?.api_key_sealed) throw new HubError("wrong_credentials");
    if (!wantsSession) await assertNotDeleting(tx, account.id);
    return {
      api_key_sealed: current.api_key_sealed,
      token: wantsSession ? await startSession(tx, account.id, ctx.userAgent) : null,
    };
  });
  if (token) ctx.setCookie("session", token, remember ? { maxAge: SESSION_SECONDS } : {});
  return {
    message: `Welcome back, ${account.username}.`,
    api_key: await readOrReplaceApiKey(ctx, { ...account, api_key_sealed }),
    ...(await countGuestRooms(ctx)),
  };
}

/**
 * Ends the caller's session, clears its cookie and replaces that of the guest. A call without a session also succeeds
 * (decisions §3).
 */
export async function logout(ctx: CallContext) {
  if (ctx.caller.kind === "member") {
    await endSession(ctx.db, ctx.caller.sessionHash);
    // Disconnects the subscriptions of this session.
    ctx.hub.rooms.recheckAll({ participantId: participantId(ctx.caller) });
  }
  signOutBrowser(ctx);
  return { message: "You are signed out." };
}

/**
 * Reads the private view of an account (decisions §2).
 * @param own the account as this call found it, with the tier and the restrictions in effect
 */
export async function readOwnAccount({ db, hub }: CallContext, own: CallerAccount) {
  const account = await db
    .selectFrom("accounts")
    .select([
      "username",
      "email",
      "wallet",
      "wallet_verified",
      "pass_expires_at",
      "created_at",
      "deletes_at",
    ])
    .select(
      sql<number>`(select count(*)::int from passkeys where account_id = ${own.id})`.as("passkeys"),
    )
    .where("id", "=", own.id)
    .executeTakeFirstOrThrow();
  return {
    ...account,
    ...(await hub.countNotices(own)),
    email: account.email ?? "",
    tier: own.tier,
    role: own.role,
    email_verified: own.emailVerified,
    moderation: moderationOf(own),
    joined_at: account.created_at,
  };
}
