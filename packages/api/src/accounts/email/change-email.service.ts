import type { AccountContext } from "../../caller/caller.ts";
import type { Db } from "../../db/database.ts";
import { invalidField } from "../../errors.ts";
import { mailAddress } from "../../mail/mail-account.ts";
import { addressChange, CHANGE_HOURS, newAddress, RESTORE_DAYS } from "../account-mails.ts";
import { lockProven } from "../keys/api-keys.service.ts";
import { endLinks, makeLink } from "../links/account-links.ts";
import { checkProof, type Proof } from "../proof/proof.ts";
import { countMail } from "./mail-limit.ts";

/**
 * Changes the address of the caller: POST /api/change-email (0059). A link to the new address does
 * it, and a link to the old one takes it back. Without an SMTP server the address changes at once.
 * @throws HubError `invalid_input`, `wrong_password`, `passkey_rejected`, `rate_limited`,
 *   `overloaded`
 */
export async function changeEmail(
  ctx: AccountContext,
  { email, ...proof }: { email: string } & Proof,
) {
  const { hub, db, caller } = ctx;
  const holder = await checkProof(ctx, proof);
  if (hub.mail) await countMail(hub, "change", caller.account.id);
  const address = email.toLowerCase();
  const made = await db.transaction().execute(async (tx) => {
    const { email: old } = await lockProven(tx, holder);
    if (old === address) throw invalidField("email", "is your address already");
    return hub.mail
      ? makeLinks(tx, holder.id, { old, address })
      : setAddress(tx, holder.id, address);
  });
  if (!made) return { message: `Your address is now ${address}.` };
  const account = { accountId: holder.id, name: holder.username };
  mailAddress(ctx, { ...account, address, content: newAddress(made.change) });
  if (made.restore) {
    const content = addressChange(made.restore.token);
    mailAddress(ctx, { ...account, address: made.restore.old, content });
  }
  return { message: `A link is on its way to ${address}. It changes your address.` };
}

async function setAddress(tx: Db, accountId: number, email: string): Promise<null> {
  await tx
    .updateTable("accounts")
    .set({ email, email_verified_at: null })
    .where("id", "=", accountId)
    .execute();
  await endLinks(tx, accountId);
  return null;
}

async function makeLinks(
  tx: Db,
  accountId: number,
  { old, address }: { old: string | null; address: string },
) {
  const change = {
    accountId,
    purpose: "change-email",
    email: address,
    hours: CHANGE_HOURS,
  } as const;
  const { token } = await makeLink(tx, change);
  if (old === null) return { change: token };
  const restore = { accountId, purpose: "restore-email", email: old } as const;
  const { token: restoring } = await makeLink(tx, { ...restore, hours: RESTORE_DAYS * 24 });
  return { change: token, restore: { old, token: restoring } };
}
