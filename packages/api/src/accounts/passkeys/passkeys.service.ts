import { generateAuthenticationOptions, generateRegistrationOptions } from "@simplewebauthn/server";
import { isoBase64URL } from "@simplewebauthn/server/helpers";
import { assertStanding } from "../../caller/assert-standing.ts";
import type { AccountContext } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { onViolation } from "../../db/database-errors.ts";
import { HubError } from "../../errors.ts";
import { mailAccount } from "../../mail/mail-account.ts";
import { lockProven } from "../keys/api-keys.service.ts";
import {
  keyAlgorithms,
  relyingPartyId,
  userHandleOf,
  verifyNewPasskey,
} from "../proof/passkey-answers.ts";
import { issueChallenge } from "../proof/passkey-challenges.ts";
import type { NewPasskeyAnswer } from "../proof/passkeys.schema.ts";
import { checkProof, type Proof } from "../proof/proof.ts";

/** Passkeys of an account, those of other hosts included (0060). */
const MAX_PASSKEYS = 10;
const TIMEOUT_MS = 300_000;

/**
 * Makes the options for `navigator.credentials.create` or `.get`, with a new challenge. A device
 * must verify its user, so that a lost one alone opens no account.
 * @param password checked before a device makes a passkey: it would keep one that the hub refuses
 * @throws HubError `unauthenticated` if a caller without an account adds a passkey;
 *   `account_suspended`, `too_many_passkeys`; with a password `wrong_password`, `rate_limited`,
 *   `overloaded`
 */
export async function passkeyOptions(
  ctx: CallContext,
  { purpose, password }: { purpose: "add" | "sign-in"; password?: string | undefined },
) {
  if (purpose === "add") return { options: { ...(await creationOptions(ctx, password)) } };
  const challenge = await issueChallenge(ctx.db, null);
  const options = await generateAuthenticationOptions({
    rpID: relyingPartyId(ctx),
    challenge: isoBase64URL.toBuffer(challenge),
    timeout: TIMEOUT_MS,
    userVerification: "required",
  });
  return { options: { ...options } };
}

async function creationOptions(ctx: CallContext, password: string | undefined) {
  const { db, caller } = ctx;
  if (!("account" in caller)) throw new HubError("unauthenticated");
  // A suspended account may begin to sign in, but not to add a passkey.
  assertStanding(caller, {});
  if (password !== undefined) await checkProof({ ...ctx, caller }, { password });
  const { id, username } = caller.account;
  const present = await passkeysOf(db, id).select("credential_id").execute();
  assertRoom(present.length);
  const challenge = await issueChallenge(db, id);
  return generateRegistrationOptions({
    rpName: "Soul Hub",
    rpID: relyingPartyId(ctx),
    challenge: isoBase64URL.toBuffer(challenge),
    timeout: TIMEOUT_MS,
    userID: userHandleOf(id),
    userName: username,
    userDisplayName: username,
    excludeCredentials: present.map(({ credential_id }) => ({ id: credential_id })),
    supportedAlgorithmIDs: keyAlgorithms,
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

const passkeysOf = (db: Db, accountId: number) =>
  db.selectFrom("passkeys").where("account_id", "=", accountId);

function assertRoom(count: number): void {
  if (count >= MAX_PASSKEYS) throw new HubError("too_many_passkeys");
}

const shownColumns = ["id", "name", "created_at", "last_used_at", "rp_id"] as const;

const toShown =
  (ctx: CallContext) =>
  <Row extends { rp_id: string }>({ rp_id, ...row }: Row) => ({
    ...row,
    usable: rp_id === relyingPartyId(ctx),
  });

/** Lists the passkeys of the caller's account, newest first. */
export async function listPasskeys(ctx: AccountContext) {
  const rows = await passkeysOf(ctx.db, ctx.caller.account.id)
    .select(shownColumns)
    .orderBy("id", "desc")
    .execute();
  return { count: rows.length, data: rows.map(toShown(ctx)) };
}

/**
 * Adds the passkey that a device has made. Its owner gets a mail.
 * @throws HubError `wrong_password`, `passkey_rejected`, `too_many_passkeys`, `rate_limited`,
 *   `overloaded`
 */
export async function addPasskey(
  ctx: AccountContext,
  { response, name, ...proof }: { response: NewPasskeyAnswer; name: string } & Proof,
) {
  const { id } = ctx.caller.account;
  const holder = await checkProof(ctx, proof);
  const credential = await verifyNewPasskey(ctx, response, id);
  const values = {
    account_id: id,
    name,
    credential_id: credential.id,
    public_key: isoBase64URL.fromBuffer(credential.publicKey),
    counter: credential.counter,
    rp_id: relyingPartyId(ctx),
  };
  const adding = ctx.db.transaction().execute(async (tx) => {
    await lockProven(tx, holder);
    const { count } = await passkeysOf(tx, id)
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    assertRoom(count);
    const insert = tx.insertInto("passkeys").values(values);
    return insert.returning(shownColumns).executeTakeFirstOrThrow();
  });
  // A device makes each id once. A second one was copied from another account's answer.
  const row = await adding.catch(onViolation("passkeys_credential_id_unique", "passkey_rejected"));
  mailAccount(ctx, id, mailAbout("added", name));
  return { message: `The passkey “${name}” is added.`, passkey: toShown(ctx)(row) };
}

/**
 * Removes a passkey, which stops working at once. Its owner gets a mail.
 * @throws HubError `wrong_password`, `passkey_rejected`, `passkey_not_found`, `rate_limited`,
 *   `overloaded`
 */
export async function removePasskey(ctx: AccountContext, { id, ...proof }: { id: number } & Proof) {
  await checkProof(ctx, proof);
  const { name } = await ctx.db
    .deleteFrom("passkeys")
    .where("id", "=", id)
    .where("account_id", "=", ctx.caller.account.id)
    .returning("name")
    .executeTakeFirstOrThrow(() => new HubError("passkey_not_found"));
  mailAccount(ctx, ctx.caller.account.id, mailAbout("removed", name));
  return { message: `The passkey “${name}” is removed.` };
}

const mailAbout = (change: "added" | "removed", name: string) => ({
  subject: `A passkey was ${change}`,
  paragraphs: [
    `The passkey “${name}” was ${change === "added" ? "added to" : "removed from"} your account.`,
    "If you did not do this, change your password and look at your passkeys at once.",
  ],
  link: { label: "Open your settings", path: "/settings/security" },
});
