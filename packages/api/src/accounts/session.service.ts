import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { type AccountContext, participantId } from "../caller/caller.ts";
import { signOutBrowser } from "../caller/guest-cookie.ts";
import { hashCredential } from "../credential-hash.ts";
import type { Db } from "../db/database.ts";
import { HubError } from "../errors.ts";
import { sessionLabel } from "./session-label.ts";

/** Absolute lifetime of a session: 30 days (specification §8). */
export const SESSION_SECONDS = 2_592_000;

/** The hour of now. Sessions do not tell more exactly when they were used (0059). */
const thisHour = sql<string>`date_trunc('hour', hub_now())`;

/** SQL: whether the noted use of a session is missing or from an earlier hour. */
export const isSessionUseOld = sql<boolean>`coalesce(sessions.last_used_at < ${thisHour}, true)`;

/**
 * Refuses a login with the right proof to an account that will be deleted (0063).
 * @throws HubError `account_deleting` with `deletes_at`
 */
export async function assertNotDeleting(db: Db, accountId: number): Promise<void> {
  const { deletes_at } = await db
    .selectFrom("accounts")
    .select("deletes_at")
    .where("id", "=", accountId)
    .executeTakeFirstOrThrow();
  if (deletes_at !== null) throw new HubError("account_deleting", { extra: { deletes_at } });
}

/**
 * Creates a session and returns its token. Only the hash of the token is stored.
 * @throws HubError `account_deleting`
 */
export async function startSession(db: Db, accountId: number, userAgent: string): Promise<string> {
  await assertNotDeleting(db, accountId);
  const token = randomBytes(32).toString("base64url");
  await db
    .insertInto("sessions")
    .values({
      token_hash: hashCredential(token),
      account_id: accountId,
      label: sessionLabel(userAgent),
      last_used_at: thisHour,
      expires_at: sql<string>`hub_now() + make_interval(secs => ${SESSION_SECONDS})`,
    })
    .execute();
  return token;
}

/** Notes that sessions, by the hashes of their tokens, are in use. */
export async function noteSessionUse(db: Db, hashes: string[]): Promise<void> {
  if (hashes.length === 0) return;
  await db
    .updateTable("sessions")
    .set({ last_used_at: thisHour })
    .where("token_hash", "=", sql<string>`any(${hashes}::text[])`)
    .execute();
}

export async function endSession(db: Db, tokenHash: string): Promise<void> {
  await db.deleteFrom("sessions").where("token_hash", "=", tokenHash).execute();
}

/** Lists the unexpired sessions of the caller's account, newest first. */
export async function listSessions({ db, caller }: AccountContext) {
  const rows = await db
    .selectFrom("sessions")
    .select(["token_hash", "label", "last_used_at", "created_at", "expires_at"])
    .where("account_id", "=", caller.account.id)
    .where("expires_at", ">", sql<string>`hub_now()`)
    .orderBy("created_at", "desc")
    .execute();
  const own = sessionHashOf(caller);
  return {
    sessions: rows.map(({ token_hash, ...row }) => ({
      id: sessionId(token_hash),
      ...row,
      current: token_hash === own,
    })),
  };
}

/**
 * Ends one session of the account: DELETE /api/sessions/{id} (0059). Its subscriptions end at once,
 * on every server.
 * @throws HubError `session_not_found`
 */
export async function endOneSession(ctx: AccountContext, id: string) {
  const { token_hash } = await ctx.db
    .deleteFrom("sessions")
    .where("account_id", "=", ctx.caller.account.id)
    .where(sql`left(token_hash, ${ID_CHARS}::int)`, "=", id)
    .returning("token_hash")
    .executeTakeFirstOrThrow(() => new HubError("session_not_found"));
  if (token_hash === sessionHashOf(ctx.caller)) signOutBrowser(ctx);
  ctx.hub.rooms.recheckAll({ participantId: participantId(ctx.caller) });
  return { message: "That browser is signed out." };
}

/** The id of a session: the beginning of its token's hash. The hash does not reveal the token. */
const ID_CHARS = 16;
const sessionId = (tokenHash: string): string => tokenHash.slice(0, ID_CHARS);

/**
 * Ends all sessions of the account except the caller's own. A caller with an API key ends all
 * sessions.
 */
export async function endOtherSessions(ctx: AccountContext) {
  const { numDeletedRows } = await ctx.db
    .deleteFrom("sessions")
    .where("account_id", "=", ctx.caller.account.id)
    .where("token_hash", "!=", sessionHashOf(ctx.caller))
    .executeTakeFirst();
  // Disconnects the subscriptions of the ended sessions.
  ctx.hub.rooms.recheckAll({ participantId: participantId(ctx.caller) });
  const ended = Number(numDeletedRows);
  return {
    message: ended === 1 ? "One browser is signed out." : `${ended} browsers are signed out.`,
  };
}

const sessionHashOf = (caller: AccountContext["caller"]) =>
  caller.kind === "member" ? caller.sessionHash : "";
