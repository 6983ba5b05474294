import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../db/database.ts";

/** Seconds in which a device must sign a challenge (0060). */
const CHALLENGE_SECONDS = 300;

/** A challenge: 32 bytes in base64url. */
export const CHALLENGE = /^[\w-]{43}$/;

/**
 * Makes a challenge that can be used once, within five minutes.
 * @param accountId the account that adds a passkey; null for a sign-in and for proofs
 */
export async function issueChallenge(db: Db, accountId: number | null): Promise<string> {
  const challenge = randomBytes(32).toString("base64url");
  await db
    .insertInto("passkey_challenges")
    .values({
      challenge,
      account_id: accountId,
      expires_at: sql<string>`hub_now() + make_interval(secs => ${CHALLENGE_SECONDS})`,
    })
    .execute();
  return challenge;
}

/**
 * Uses a challenge up, whatever becomes of its answer. Of simultaneous uses one succeeds.
 * @returns false for a challenge that is used, expired, unknown or issued for something else
 */
export async function takeChallenge(
  db: Db,
  challenge: string,
  accountId: number | null,
): Promise<boolean> {
  const taken = await db
    .deleteFrom("passkey_challenges")
    .where("challenge", "=", challenge)
    .where("account_id", accountId === null ? "is" : "=", accountId)
    .where("expires_at", ">", sql<string>`hub_now()`)
    .returning("challenge")
    .executeTakeFirst();
  return taken !== undefined;
}
