import type { AccountContext, CallContext } from "../context.ts";
import { utcText } from "../db/utc-text.ts";
import { violatedConstraint } from "../db/violated-constraint.ts";
import { HubError } from "../errors.ts";
import { reservedUsernames } from "./accounts.schema.ts";
import { createApiKey, hashApiKey } from "./api-key.ts";
import { hashPassword, verifyPassword } from "./password.ts";
import { endSession, SESSION_SECONDS, startSession } from "./session.service.ts";

const API_KEY_PURPOSE = "api-key";

interface Registration {
  username: string;
  password: string;
  email: string;
}

/** @throws HubError `invalid_input`, `username_taken`, `overloaded` */
export async function register(ctx: CallContext, { username, password, email }: Registration) {
  const nameKey = username.toLowerCase();
  const passwordKey = password.normalize("NFC").toLowerCase();
  if (passwordKey === nameKey || passwordKey === email.toLowerCase()) {
    throw new HubError("invalid_input", {
      details: [{ field: "password", message: "must differ from the username and the email" }],
    });
  }
  if (reservedUsernames.has(nameKey)) throw new HubError("username_taken");

  const apiKey = createApiKey();
  const values = {
    username,
    username_key: nameKey,
    email: email.toLowerCase(),
    password_hash: await hashPassword(password),
    api_key_hash: hashApiKey(apiKey),
    // Usernames never change, so the sealed key is bound to one account before its id is known.
    api_key_sealed: ctx.hub.vault.seal(API_KEY_PURPOSE, nameKey, apiKey),
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
 * @throws HubError `wrong_credentials`, `overloaded`
 */
export async function login(ctx: CallContext, { username, password, remember }: Login) {
  const nameKey = username.toLowerCase();
  const account = await ctx.db
    .selectFrom("accounts")
    .select(["id", "username", "password_hash", "api_key_sealed"])
    .where("username_key", "=", nameKey)
    .executeTakeFirst();
  const right = await verifyPassword(password, account?.password_hash ?? null);
  if (!right || !account?.api_key_sealed) throw new HubError("wrong_credentials");

  // The web client signs in through tRPC and always gets a session; REST only when asked (decisions §3).
  if (remember || ctx.door === "trpc") {
    const token = await startSession(ctx.db, account.id);
    ctx.setCookie("session", token, remember ? { maxAge: SESSION_SECONDS } : {});
  }
  return {
    message: `Welcome back, ${account.username}.`,
    api_key: ctx.hub.vault.open(API_KEY_PURPOSE, nameKey, account.api_key_sealed),
  };
}

/** Harmless without a session (decisions §3). */
export async function logout(ctx: CallContext) {
  if (ctx.caller.kind === "member") await endSession(ctx.db, ctx.caller.sessionHash);
  ctx.setCookie("session", "", { maxAge: 0 });
  return { message: "You are signed out." };
}

/** The caller's own account, as decisions §2 adds it. */
export async function readMe({ db, caller }: AccountContext) {
  const account = await db
    .selectFrom("accounts")
    .select(["username", "email", "pass_expires_at", "created_at"])
    .where("id", "=", caller.account.id)
    .executeTakeFirstOrThrow();
  return {
    user: {
      username: account.username,
      email: account.email ?? "",
      tier: caller.account.tier,
      pass_expires_at: account.pass_expires_at && utcText(account.pass_expires_at),
      joined_at: utcText(account.created_at),
    },
  };
}
