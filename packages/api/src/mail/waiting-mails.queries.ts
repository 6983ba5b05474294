import { sql } from "kysely";
import { hashCredential } from "../credential-hash.ts";
import type { Db } from "../db/database.ts";
import type { Vault } from "../vault.ts";
import type { MailContent } from "./render-mail.ts";

/** The vault's purpose of waiting mails. They are bound to the id of their account. */
export const MAIL_PURPOSE = "waiting-mail";

/** The tries of a mail, and the hours in which they take place (0059). */
export const MAX_TRIES = 8;
const MAX_HOURS = 24;
/**
 * The time from each try to the next. Meanwhile no other server sends the mail, so the times are
 * longer than a try. After the last one the mail is dropped. The first seven are 23 hours.
 */
const GAPS = "{2 min,5 min,15 min,1 hour,3 hours,7 hours,12 hours,2 min}";

/** A mail as it is sealed. It is rendered when it is sent. */
export interface SealedMail {
  address: string;
  /** The username to greet, or null for an address that several accounts share. */
  name: string | null;
  content: MailContent;
}

interface ClaimedMail {
  id: number;
  account_id: number;
  sealed: string;
  /** The present try included. */
  tries: number;
}

/** Stores a mail, due at once. Without its account, nothing is stored. */
export async function storeMail(
  db: Db,
  vault: Vault,
  accountId: number,
  { address, name, content }: SealedMail,
): Promise<void> {
  const mail = JSON.stringify({ address, name, content } satisfies SealedMail);
  const sealed = vault.seal(MAIL_PURPOSE, String(accountId), mail);
  await sql`insert into waiting_mails (account_id, sealed)
    select id, ${sealed}::text from accounts where id = ${accountId}`.execute(db);
}

/**
 * Takes a due mail for one try, mails without a try first. Other servers skip it until its next try
 * is due, so a server that ends meanwhile loses no mail.
 */
export async function claimMail(db: Db): Promise<ClaimedMail | undefined> {
  const { rows } = await sql<ClaimedMail>`
    update waiting_mails set tries = tries + 1,
      next_try_at = hub_now() + (${GAPS}::interval[])[tries + 1]
    where id = (select id from waiting_mails
      where next_try_at <= hub_now() and tries < ${MAX_TRIES}::int and not ${isTooOld}
      order by tries, next_try_at limit 1 for update skip locked)
    returning id, account_id, sealed, tries`.execute(db);
  return rows[0];
}

const isTooOld = sql<boolean>`(created_at < hub_now() - make_interval(hours => ${MAX_HOURS}::int))`;

/** @throws Error if no master key opens the mail */
export const openMail = (vault: Vault, { account_id, sealed }: ClaimedMail): SealedMail =>
  JSON.parse(vault.open(MAIL_PURPOSE, String(account_id), sealed));

/**
 * Leaves out the links that were used, replaced or have expired since.
 * @returns null for a mail of which no link is left
 */
export async function withLiveLinks(db: Db, content: MailContent): Promise<MailContent | null> {
  const links = content.links ?? [];
  const hashes = links.flatMap(({ token }) => (token ? [hashCredential(token)] : []));
  if (hashes.length === 0) return content;
  const rows = await db
    .selectFrom("account_links")
    .select("token_hash")
    .where("token_hash", "in", hashes)
    .where("expires_at", ">", sql<string>`hub_now()`)
    .execute();
  if (rows.length === 0) return null;
  const live = new Set(rows.map(({ token_hash }) => token_hash));
  return {
    ...content,
    links: links.filter(({ token }) => !token || live.has(hashCredential(token))),
  };
}

export const deleteMail = (db: Db, id: number) =>
  db.deleteFrom("waiting_mails").where("id", "=", id).execute();

/** Deletes the mails whose tries are used up or too old. Returns their number. */
export async function dropOldMails(db: Db): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from waiting_mails
    where ${isTooOld} or tries >= ${MAX_TRIES}::int and next_try_at <= hub_now()`.execute(db);
  return Number(numAffectedRows);
}
