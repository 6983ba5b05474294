import type { Hub } from "../context.ts";
import { type MailContent, type MailLink, renderMail } from "./render-mail.ts";

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
    await sendMail(hub, { address: account.email, name: account.username }, content);
  });
  hub.inBackground("mailing an account", sending);
}

/** Mails an address in the background, as a change of it needs both the old and the new one. */
export function mailAddress(
  { hub }: { hub: Hub },
  to: { address: string; name: string | null },
  content: MailContent,
): void {
  hub.inBackground("mailing an address", sendMail(hub, to, content));
}

async function sendMail(
  { mail, config }: Hub,
  { address, name }: { address: string; name: string | null },
  content: MailContent,
): Promise<void> {
  await mail?.send({ to: address, ...renderMail(config.baseUrl, name, content) });
}
