import type { Hub } from "../context.ts";
import type { AccountMail } from "./outbox.ts";
import type { MailContent, MailLink } from "./render-mail.ts";

interface AccountMessage extends MailContent {
  link?: MailLink | undefined;
}

/**
 * Mails an account at its present address, in the background. Without an SMTP server or an address
 * nothing is sent. Call it after the commit: the address is read outside of any transaction.
 */
export function mailAccount(
  { hub }: { hub: Hub },
  accountId: number,
  { link, ...message }: AccountMessage,
): void {
  if (!hub.mail) return;
  const reading = hub.database.db
    .selectFrom("accounts")
    .select(["username", "email"])
    .where("id", "=", accountId)
    .executeTakeFirst();
  const sending = reading.then(async (account) => {
    if (!account?.email) return;
    const content = link ? { ...message, links: [link] } : message;
    const { email: address, username: name } = account;
    await hub.outbox.post({ accountId, address, name, content });
  });
  hub.inBackground("mailing an account", sending);
}

/** Mails an address in the background, as a change of it needs both the old and the new one. */
export function mailAddress({ hub }: { hub: Hub }, mail: AccountMail): void {
  hub.inBackground("mailing an address", hub.outbox.post(mail));
}
