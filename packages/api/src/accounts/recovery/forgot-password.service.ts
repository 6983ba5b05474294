import { sql } from "kysely";
import { actorOf, writeAudit } from "../../audit/write-audit.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { mailAddress } from "../../mail/mail-account.ts";
import { linkUrl } from "../../mail/render-mail.ts";
import { findPassHolder } from "../account.queries.ts";
import { forgottenPassword, RESET_MINUTES, RESET_PATH } from "../account-mails.ts";
import { mayMail } from "../email/mail-limit.ts";
import { makeLink } from "../links/account-links.ts";

/** Accounts of one address that get a link. */
const MAX_ACCOUNTS = 5;

/**
 * Mails a link to a new password: POST /api/forgot-password (0059). The answer neither tells nor
 * waits for whether the account exists.
 * @param login a username, or an address that accounts may share
 * @throws HubError `mail_unavailable`
 */
export function forgotPassword(ctx: CallContext, login: string) {
  if (!ctx.hub.mail) throw new HubError("mail_unavailable");
  const mailing = ctx.hub.maintenance.write(() => mailLinks(ctx, login.trim().toLowerCase()));
  ctx.hub.inBackground("mailing links to a new password", mailing);
  return { message: "If there is such an account, a link is on its way to its address." };
}

async function mailLinks({ hub, db }: CallContext, login: string): Promise<void> {
  const accounts = await db
    .selectFrom("accounts")
    .select(["id", "username", "email"])
    .where(login.includes("@") ? "email" : "username_key", "=", login)
    .where("email", "is not", null)
    // The hub's own accounts, which have no password, are no people.
    .where("password_hash", "is not", null)
    // Accounts that strangers register with somebody's address come last.
    .orderBy(sql`email_verified_at is null`)
    .orderBy("id")
    .limit(MAX_ACCOUNTS)
    .execute();
  const linked: { id: number; username: string; token: string }[] = [];
  for (const { id, username } of accounts) {
    if (!(await mayMail(hub, "reset", id))) continue;
    const { token } = await db
      .transaction()
      .execute((tx) =>
        makeLink(tx, { accountId: id, purpose: "reset-password", hours: RESET_MINUTES / 60 }),
      );
    linked.push({ id, username, token });
  }
  const address = accounts[0]?.email;
  const [first] = linked;
  if (!address || !first) return;
  const name = linked.length === 1 ? first.username : null;
  const content = forgottenPassword(linked);
  mailAddress({ hub }, { accountId: first.id, address, name, content });
}

/**
 * Makes a link to a new password, which the operator hands over: POST /api/admin/reset-link (0059).
 * @throws HubError `user_not_found`
 */
export async function makeResetLink(
  { hub, db, caller }: CallContext,
  { username, hours }: { username: string; hours: number },
) {
  const { account } = await findPassHolder(db, username);
  return db.transaction().execute(async (tx) => {
    const accountId = account.id;
    const { token, expires_at } = await makeLink(tx, {
      accountId,
      purpose: "reset-password",
      hours,
    });
    await writeAudit(tx, {
      actor: actorOf(caller),
      action: "make-reset-link",
      target: `account:${accountId}`,
      detail: { hours },
    });
    return { url: linkUrl(hub.config.baseUrl, { path: RESET_PATH, token }), expires_at };
  });
}
