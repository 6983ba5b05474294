import { createHash, randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../db/entities.ts";

/** 30 days, absolute (specification §8). */
export const SESSION_SECONDS = 2_592_000;

export const hashSessionToken = (token: string): string =>
  createHash("sha256").update(token).digest("base64url");

/** Starts a session and returns its token, which only the browser keeps. */
export async function startSession(db: Db, accountId: number): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await db
    .insertInto("sessions")
    .values({
      token_hash: hashSessionToken(token),
      account_id: accountId,
      expires_at: sql<string>`hub_now() + make_interval(secs => ${SESSION_SECONDS})`,
    })
    .execute();
  return token;
}

/** For the sweeper: what has run out opens nothing any more. */
export async function sweepSessions(db: Db): Promise<void> {
  await db.deleteFrom("sessions").where("expires_at", "<", sql<string>`hub_now()`).execute();
}

/** Those of an account that have not run out. */
export const liveSessions = (db: Db, accountId: number) =>
  db
    .selectFrom("sessions")
    .where("account_id", "=", accountId)
    .where("expires_at", ">", sql<string>`hub_now()`);

export async function endSession(db: Db, tokenHash: string): Promise<void> {
  await db.deleteFrom("sessions").where("token_hash", "=", tokenHash).execute();
}
