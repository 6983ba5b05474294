import type { AccountContext } from "../context.ts";
import { utcText } from "../db/utc-text.ts";
import { HubError } from "../errors.ts";
import { participantId } from "./caller.ts";
import { assertOwnPassword } from "./own-password.ts";
import { liveSessions } from "./session.service.ts";
import { readOrReplaceApiKey } from "./stored-api-key.service.ts";

/**
 * The API key again, for an owner who is signed in and knows the password (docs/decisions/0006).
 * @throws HubError `wrong_password`, `rate_limited`, `overloaded`
 */
export async function showApiKey(ctx: AccountContext, password: string) {
  const account = await ctx.db
    .selectFrom("accounts")
    .select(["id", "username", "password_hash", "api_key_sealed"])
    .where("id", "=", ctx.caller.account.id)
    .executeTakeFirstOrThrow();
  await assertOwnPassword(ctx, account, password);
  // The hub's own account has neither.
  const { api_key_sealed } = account;
  if (!api_key_sealed) throw new HubError("wrong_password");
  return {
    message: "Keep it like a password.",
    api_key: await readOrReplaceApiKey(ctx, { ...account, api_key_sealed }),
  };
}

/** The browsers that are signed in, the latest first. */
export async function listSessions({ db, caller }: AccountContext) {
  const rows = await liveSessions(db, caller.account.id)
    .select(["token_hash", "created_at", "expires_at"])
    .orderBy("created_at", "desc")
    .execute();
  const own = sessionOf(caller);
  return {
    sessions: rows.map(({ token_hash, created_at, expires_at }) => ({
      created_at: utcText(created_at),
      expires_at: utcText(expires_at),
      current: token_hash === own,
    })),
  };
}

/** Signs every other browser out; by a key, every one. */
export async function endOtherSessions(ctx: AccountContext) {
  const { numDeletedRows } = await ctx.db
    .deleteFrom("sessions")
    .where("account_id", "=", ctx.caller.account.id)
    .where("token_hash", "!=", sessionOf(ctx.caller))
    .executeTakeFirst();
  // What they still listen to ends with them.
  ctx.hub.rooms.recheckAll({ participantId: participantId(ctx.caller) });
  const ended = Number(numDeletedRows);
  return {
    message: ended === 1 ? "One browser is signed out." : `${ended} browsers are signed out.`,
  };
}

const sessionOf = (caller: AccountContext["caller"]) =>
  caller.kind === "member" ? caller.sessionHash : "";
