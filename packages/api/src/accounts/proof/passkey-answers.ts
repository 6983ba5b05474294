import { isIP } from "node:net";
import {
  type VerifiedAuthenticationResponse,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from "@simplewebauthn/server";
import {
  COSEALG,
  decodeAttestationObject,
  decodeClientDataJSON,
  isoBase64URL,
} from "@simplewebauthn/server/helpers";
import { sql } from "kysely";
import type { AccountContext } from "../../caller/caller.ts";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { CHALLENGE, takeChallenge } from "./passkey-challenges.ts";
import type { NewPasskeyAnswer, PasskeyAnswer } from "./passkeys.schema.ts";

/** The kinds of keys that every browser and every Node has. */
export const keyAlgorithms = [COSEALG.EdDSA, COSEALG.ES256, COSEALG.RS256];

/** The host for which devices make passkeys. It follows BASE_URL, never a request (0060). */
export const relyingPartyId = ({ hub }: Pick<CallContext, "hub">): string =>
  new URL(hub.config.baseUrl).hostname;

/** Whether browsers have passkeys at BASE_URL: with https or on localhost, and never for an address. */
export function offersPasskeys({ hub }: Pick<CallContext, "hub">): boolean {
  const { protocol, hostname } = new URL(hub.config.baseUrl);
  const isAddress = isIP(hostname) > 0 || hostname.startsWith("[");
  return !isAddress && (protocol === "https:" || hostname === "localhost");
}

/** The name of an account on a device. Its devices return it with each answer. */
export const userHandleOf = (accountId: number): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(String(accountId));

/**
 * Checks the answer of a device that made a passkey for this account.
 * @throws HubError `passkey_rejected`
 */
export async function verifyNewPasskey(
  ctx: CallContext,
  answer: NewPasskeyAnswer,
  accountId: number,
): Promise<WebAuthnCredential> {
  const expected = await takeExpected(ctx, answer, accountId);
  if (!expected || hasCertificates(answer)) throw new HubError("passkey_rejected");
  const checked = await verifyRegistrationResponse({
    response: { ...answer, clientExtensionResults: {} },
    supportedAlgorithmIDs: keyAlgorithms,
    ...expected,
  }).catch(() => undefined);
  if (!checked?.verified) throw new HubError("passkey_rejected");
  return checked.registrationInfo.credential;
}

/**
 * The hub asks for no attestation, and checks no certificate of a device: a check of its revocation
 * would call the server that the certificate names.
 */
function hasCertificates({ response }: NewPasskeyAnswer): boolean {
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
    const isPlain = ["none", "packed"].includes(attestation.get("fmt"));
    return !isPlain || attestation.get("attStmt").get("x5c") !== undefined;
  } catch {
    return true;
  }
}

/**
 * Finds the account whose passkey signed a challenge, and notes the use of the passkey.
 * @returns undefined for every answer that proves nothing
 */
export async function findSigner(
  ctx: CallContext,
  answer: PasskeyAnswer,
): Promise<number | undefined> {
  const expected = await takeExpected(ctx, answer, null);
  if (!expected) return undefined;
  const passkey = await ctx.db
    .selectFrom("passkeys")
    .select(["id", "account_id", "public_key", "counter"])
    .where("credential_id", "=", answer.id)
    .where("rp_id", "=", expected.expectedRPID)
    .executeTakeFirst();
  if (!passkey) return undefined;
  const handle = isoBase64URL.fromBuffer(userHandleOf(passkey.account_id));
  if (answer.response.userHandle !== handle) return undefined;
  const checked: VerifiedAuthenticationResponse | undefined = await verifyAuthenticationResponse({
    response: {
      ...answer,
      response: { ...answer.response, userHandle: handle },
      clientExtensionResults: {},
    },
    credential: {
      id: answer.id,
      publicKey: isoBase64URL.toBuffer(passkey.public_key),
      counter: passkey.counter,
    },
    ...expected,
  }).catch(() => undefined);
  if (!checked?.verified) return undefined;
  const { newCounter } = checked.authenticationInfo;
  // A passkey that was removed meanwhile has no row, and proves nothing.
  const used = await ctx.db
    .updateTable("passkeys")
    .set({
      counter: sql<number>`greatest(counter, ${newCounter}::bigint)`,
      last_used_at: sql<string>`hub_now()`,
    })
    .where("id", "=", passkey.id)
    .returning("account_id")
    .executeTakeFirst();
  return used?.account_id;
}

/**
 * Checks that a passkey of the caller's own account signed a challenge. Failures count like failed
 * logins (0008).
 * @throws HubError `passkey_rejected`, `rate_limited`
 */
export async function assertOwnPasskey(ctx: AccountContext, answer: PasskeyAnswer): Promise<void> {
  const { id, username } = ctx.caller.account;
  const attempt = { name: username.toLowerCase(), ipHash: ctx.ipHash() };
  const isOwn = await ctx.hub.loginThrottle.guard(
    attempt,
    async () => (await findSigner(ctx, answer)) === id,
  );
  if (!isOwn) throw new HubError("passkey_rejected");
}

/**
 * Takes the challenge that a device says it has signed. Returns the values that its answer must
 * have, or undefined without such a challenge.
 */
async function takeExpected(
  ctx: CallContext,
  { response }: NewPasskeyAnswer | PasskeyAnswer,
  accountId: number | null,
) {
  const expectedChallenge = challengeIn(response.clientDataJSON);
  if (!(await takeChallenge(ctx.db, expectedChallenge, accountId))) return undefined;
  return {
    expectedChallenge,
    expectedOrigin: new URL(ctx.hub.config.baseUrl).origin,
    expectedRPID: relyingPartyId(ctx),
    requireUserVerification: true,
  };
}

/** Returns "" for a text that is no challenge of this hub: PostgreSQL refuses a text with NUL. */
function challengeIn(clientDataJSON: string): string {
  try {
    return CHALLENGE.exec(decodeClientDataJSON(clientDataJSON).challenge)?.[0] ?? "";
  } catch {
    return "";
  }
}
