import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { hashCredential } from "../../credential-hash.ts";
import type { Db } from "../../db/database.ts";
import { HubError } from "../../errors.ts";

/**
 * What a link does (0059).
 * - `reset-password`: sets a new password
 * - `verify-email`: verifies the address of the account
 * - `change-email`: sets an address, to which the link was sent
 * - `restore-email`: takes a change of the address back
 */
export const linkPurposes = [
  "reset-password",
  "verify-email",
  "change-email",
  "restore-email",
] as const;
export type LinkPurpose = (typeof linkPurposes)[number];

interface NewLink {
  accountId: number;
  purpose: LinkPurpose;
  email?: string | undefined;
  hours: number;
}

interface Link {
  id: number;
  account_id: number;
  purpose: LinkPurpose;
  email: string | null;
}

/** Links are made and used one after another, so that the newest one is certain. */
const lockAccount = (tx: Db, accountId: number) =>
  tx.selectFrom("accounts").select("id").where("id", "=", accountId).forUpdate().execute();

/**
 * Makes a link and returns its token of 256 bits. Earlier links of the account and purpose stop
 * working, except those that take a change of the address back: a thief who changes it twice must
 * not invalidate the first one.
 */
export async function makeLink(tx: Db, { accountId, purpose, email, hours }: NewLink) {
  await lockAccount(tx, accountId);
  if (purpose !== "restore-email") {
    await tx
      .deleteFrom("account_links")
      .where("account_id", "=", accountId)
      .where("purpose", "=", purpose)
      .execute();
  }
  const token = randomBytes(32).toString("base64url");
  const { expires_at } = await tx
    .insertInto("account_links")
    .values({
      token_hash: hashCredential(token),
      account_id: accountId,
      purpose,
      email: email ?? null,
      expires_at: sql<string>`hub_now() + make_interval(hours => ${hours}::int)`,
    })
    .returning("expires_at")
    .executeTakeFirstOrThrow();
  return { token, expires_at };
}

const liveLink = (db: Db, token: string, purposes: readonly LinkPurpose[]) =>
  db
    .selectFrom("account_links")
    .select(["id", "account_id", "purpose", "email"])
    .where("token_hash", "=", hashCredential(token))
    .where("purpose", "in", purposes)
    .where("expires_at", ">", sql<string>`hub_now()`)
    .$narrowType<{ purpose: LinkPurpose }>();

/**
 * Finds a link without using it.
 * @throws HubError `token_invalid` for a used, old or unknown link, with one wording
 */
export async function readLink(
  db: Db,
  token: string,
  purposes: readonly LinkPurpose[],
): Promise<Link> {
  const refusal = () => new HubError("token_invalid");
  return liveLink(db, token, purposes).executeTakeFirstOrThrow(refusal);
}

/**
 * Uses a link up, in the transaction of the change that the link is for. The account is locked.
 * @throws HubError `token_invalid`
 */
export async function takeLink(
  tx: Db,
  token: string,
  purposes: readonly LinkPurpose[],
): Promise<Link> {
  // The account is locked before the link, in the order of `makeLink`.
  await lockAccount(tx, (await readLink(tx, token, purposes)).account_id);
  const link = await readLink(tx, token, purposes);
  await tx.deleteFrom("account_links").where("token_hash", "=", hashCredential(token)).execute();
  return link;
}

/**
 * Ends the links of an account, except those that take a change of the address back.
 * @param restoredBy the id of such a link that was used: it ends the later ones. Earlier ones stay,
 *   because the address of a thief may not end the link of the owner's address.
 */
export async function endLinks(tx: Db, accountId: number, restoredBy?: number): Promise<void> {
  await tx
    .deleteFrom("account_links")
    .where("account_id", "=", accountId)
    .where((where) =>
      where.or([
        where("purpose", "!=", "restore-email"),
        ...(restoredBy ? [where("id", ">", restoredBy)] : []),
      ]),
    )
    .execute();
}
