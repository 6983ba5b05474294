import type { CallContext } from "../context.ts";
import { utcText } from "../db/utc-text.ts";
import { violatedConstraint } from "../db/violated-constraint.ts";
import { HubError } from "../errors.ts";
import { reservedUsernames } from "./accounts.schema.ts";
import { issueApiKey } from "./api-key.ts";
import { type CallerAccount, participantId } from "./caller.ts";
import { hashPassword, verifyPassword } from "./password.ts";
import { assertNotOwnName } from "./password-rules.ts";
import { endSession, SESSION_SECONDS, startSession } from "./session.service.ts";
import { readOrReplaceApiKey } from "./stored-api-key.service.ts";

interface Registration {
  username: string;
  password: string;
  email: string;
}

/** @throws HubError `invalid_input`, `username_taken`, `overloaded` */
export async function register(ctx: CallContext, { username, password, email }: Registration) {
  const nameKey = username.toLowerCase();
  assertNotOwnName("password", password, { username, email });
  if (reservedUsernames.has(nameKey)) throw new HubError("username_taken");

  const { apiKey, columns } = issueApiKey(ctx.hub.vault, username);
  const values = {
    username,
    username_key: nameKey,
    email: email.toLowerCase(),
    password_hash: await hashPassword(password),
    ...columns,
  };
  try {
    await ctx.db.insertInto("accounts").values(values).execute();
  } catch (error) {
    if (violatedConstraint(error) === "accounts_username_key_unique") {
      throw new HubError("username_taken");
    }
    throw error;
  }
  return { message: `Welcome, ${username}.`, api_key: apiKey };
}

interface Login {
  username: string;
  password: string;
  remember: boolean;
}

/**
 * Costs and says the same for an unknown user as for a wrong password.
 * @throws HubError `wrong_credentials`, `rate_limited`, `overloaded`
 */
export async function login(ctx: CallContext, { username, password, remember }: Login) {
  const nameKey = username.toLowerCase();
  const account = await ctx.db
    .selectFrom("accounts")
    .select(["id", "username", "password_hash"])
    .where("username_key", "=", nameKey)
    .executeTakeFirst();
  const isRight = await ctx.hub.loginThrottle.guard({ name: nameKey, ipHash: ctx.ipHash() }, () =>
    verifyPassword(password, account?.password_hash ?? null),
  );
  if (!isRight || !account) throw new HubError("wrong_credentials");

  // The web client signs in through tRPC and always gets a session; REST only when asked (decisions §3).
  const wantsSession = remember || ctx.door === "trpc";
  const { sealedKey, token } = await ctx.db.transaction().execute(async (tx) => {
    // Locked and asked again: no session may be begun with a password that was changed meanwhile.
    const { api_key_sealed } =
      (await tx
        .selectFrom("accounts")
        .select("api_key_sealed")
        .where("id", "=", account.id)
        .where("password_hash", "=", account.password_hash)
        .forShare()
        .executeTakeFirst()) ?? {};
    if (!api_key_sealed) throw new HubError("wrong_credentials");
    return {
      sealedKey: api_key_sealed,
      token: wantsSession ? await startSession(tx, account.id) : null,
    };
  });
  if (token) ctx.setCookie("session", token, remember ? { maxAge: SESSION_SECONDS } : {});
  return {
    message: `Welcome back, ${account.username}.`,
    api_key: await readOrReplaceApiKey(ctx, { ...account, api_key_sealed: sealedKey }),
  };
}

/** Harmless without a session (decisions §3). */
export async function logout(ctx: CallContext) {
  if (ctx.caller.kind === "member") {
    await endSession(ctx.db, ctx.caller.sessionHash);
    // What this browser still listens to ends with it.
    ctx.hub.rooms.recheckAll({ participantId: participantId(ctx.caller) });
  }
  ctx.setCookie("session", "", { maxAge: 0 });
  return { message: "You are signed out." };
}

/** What an account sees of itself (decisions §2). The tier is the one in effect at this call. */
export async function readOwnAccount({ db }: CallContext, { id, tier }: CallerAccount) {
  const account = await db
    .selectFrom("accounts")
    .select(["username", "email", "wallet", "wallet_verified", "pass_expires_at", "created_at"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  return {
    ...account,
    email: account.email ?? "",
    tier,
    pass_expires_at: account.pass_expires_at && utcText(account.pass_expires_at),
    joined_at: utcText(account.created_at),
  };
}
