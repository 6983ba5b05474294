import { sql } from "kysely";
import { asksToVerify } from "../../caller/assert-verified.ts";
import type { AccountContext } from "../../caller/caller.ts";
import type { CallContext, Hub } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { mailAddress } from "../../mail/mail-account.ts";
import { CHANGE_HOURS, verification } from "../account-mails.ts";
import { endLinks, linkPurposes, makeLink, readLink, takeLink } from "../links/account-links.ts";
import { countMail } from "./mail-limit.ts";

/**
 * Mails a new account the link that verifies its address, in the background. Nothing is mailed
 * without an SMTP server, or with EMAIL_VERIFICATION=off.
 */
export function welcomeByMail({ hub }: CallContext, accountId: number): void {
  if (!asksToVerify(hub)) return;
  const mailing = hub.maintenance.write(() => mailVerification(hub, accountId));
  hub.inBackground("mailing a new account", mailing);
}

/**
 * Mails the link that verifies the address of the caller: POST /api/verify-email/send (0059).
 * @throws HubError `mail_unavailable`, `rate_limited`
 */
export async function sendVerification({ hub, caller }: AccountContext) {
  if (!hub.mail) throw new HubError("mail_unavailable");
  if (caller.account.emailVerified) return { message: "Your address is verified already." };
  await countMail(hub, "verify", caller.account.id);
  await mailVerification(hub, caller.account.id);
  return { message: "A link is on its way to your address." };
}

async function mailVerification(hub: Hub, accountId: number): Promise<void> {
  const mail = await hub.database.db.transaction().execute(async (tx) => {
    const account = await tx
      .selectFrom("accounts")
      .select(["username", "email"])
      .where("id", "=", accountId)
      // A change of the address, which ends such links, comes before or after.
      .forUpdate()
      .executeTakeFirst();
    if (!account?.email) return null;
    const link = { accountId, purpose: "verify-email", email: account.email } as const;
    const { token } = await makeLink(tx, { ...link, hours: CHANGE_HOURS });
    const content = verification(token);
    return { accountId, address: account.email, name: account.username, content };
  });
  if (mail) mailAddress({ hub }, mail);
}

/**
 * Names the effect of a mailed link, without using it: POST /api/account-link (0059).
 * @throws HubError `token_invalid`
 */
export async function describeLink({ db }: CallContext, token: string) {
  const { account_id, purpose, email } = await readLink(db, token, linkPurposes);
  const { username } = await db
    .selectFrom("accounts")
    .select("username")
    .where("id", "=", account_id)
    .executeTakeFirstOrThrow(() => new HubError("token_invalid"));
  return { purpose, username, email };
}

/**
 * Uses a link that was mailed to an address: POST /api/verify-email (0059). The link proves that the
 * address is the account's. It verifies the present address, or sets a new or a former one.
 * @throws HubError `token_invalid`
 */
export async function verifyEmail({ hub, db }: CallContext, token: string) {
  const purposes = ["verify-email", "change-email", "restore-email"] as const;
  const { purpose, account_id, email } = await db.transaction().execute(async (tx) => {
    const link = await takeLink(tx, token, purposes);
    await tx
      .updateTable("accounts")
      .set({ email: link.email, email_verified_at: sql<string>`hub_now()` })
      .where("id", "=", link.account_id)
      .execute();
    if (link.purpose === "verify-email") return link;
    if (link.purpose === "restore-email") {
      await tx.deleteFrom("sessions").where("account_id", "=", link.account_id).execute();
      await endLinks(tx, link.account_id, link.id);
    } else await endLinks(tx, link.account_id);
    return link;
  });
  if (purpose === "verify-email") return { message: "Your address is verified." };
  if (purpose === "change-email") return { message: `Your address is now ${email}.` };
  hub.rooms.recheckAll({ participantId: `account:${account_id}` });
  return {
    message: `Your address is ${email} again, and every browser is signed out. Set a new password now.`,
  };
}
