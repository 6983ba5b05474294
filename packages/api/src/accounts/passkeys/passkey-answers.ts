import {
  type VerifiedRegistrationResponse,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { decodeClientDataJSON } from "@simplewebauthn/server/helpers";
import { sql } from "kysely";
import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { takeChallenge } from "./passkey-challenges.ts";
import type { NewPasskeyAnswer, PasskeyAnswer } from "./passkeys.schema.ts";

/** The host for which devices make passkeys. It follows BASE_URL, never a request (0060). */
export const relyingPartyId = ({ hub }: Pick<CallContext, "hub">): string =>
  new URL(hub.config.baseUrl).hostname;

/** The name of an account on a device. Its owner's devices return it with each answer. */
export const userHandleOf = (accountId: number): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(String(accountId));

export type NewCredential = NonNullable<
  VerifiedRegistrationResponse["registrationInfo"]
>["credential"];

/**
 * Checks the answer of a device that made a passkey for this account.
 * @throws HubError `passkey_rejected`
 */
export async function verifyNewPasskey(
  ctx: CallContext,
  answer: NewPasskeyAnswer,
  accountId: number,
): Promise<NewCredential> {
  const expected = await expectedOf(ctx, answer, accountId);
  const { registrationInfo } = await verifyRegistrationResponse({
    response: { ...answer, clientExtensionResults: {} },
    ...expected,
  }).catch(reject);
  if (!registrationInfo) reject();
  return registrationInfo.credential;
}

/**
 * Checks the answer of a device that signed a challenge, and notes the use of its passkey.
 * @returns the id of the passkey's account
 * @throws HubError `passkey_rejected`
 */
export async function verifyPasskey(ctx: CallContext, answer: PasskeyAnswer): Promise<number> {
  const expected = await expectedOf(ctx, answer, null);
  const stored = await ctx.db
    .selectFrom("passkeys")
    .select(["id", "account_id", "public_key", "counter"])
    .where("credential_id", "=", answer.id)
    .where("rp_id", "=", expected.expectedRPID)
    .executeTakeFirst();
  if (!stored) reject();
  const handle = Buffer.from(userHandleOf(stored.account_id)).toString("base64url");
  if (answer.response.userHandle !== handle) reject();
  const publicKey = new Uint8Array(Buffer.from(stored.public_key, "base64url"));
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...answer, clientExtensionResults: {} },
    credential: { id: answer.id, publicKey, counter: stored.counter },
    ...expected,
  }).catch(reject);
  if (!verified) reject();
  // A passkey that was removed meanwhile proves nothing any more.
  const used = await ctx.db
    .updateTable("passkeys")
    .set({
      counter: sql<number>`greatest(counter, ${authenticationInfo.newCounter}::bigint)`,
      last_used_at: sql<string>`hub_now()`,
    })
    .where("id", "=", stored.id)
    .returning("account_id")
    .executeTakeFirst();
  if (!used) reject();
  return used.account_id;
}

/**
 * Takes the challenge that a device says it has signed, and returns what else its answer must name.
 * @throws HubError `passkey_rejected`
 */
async function expectedOf(
  ctx: CallContext,
  { response }: NewPasskeyAnswer | PasskeyAnswer,
  accountId: number | null,
) {
  const challenge = challengeIn(response.clientDataJSON);
  if (!(await takeChallenge(ctx.db, challenge, accountId))) reject();
  return {
    expectedChallenge: challenge,
    expectedOrigin: new URL(ctx.hub.config.baseUrl).origin,
    expectedRPID: relyingPartyId(ctx),
    requireUserVerification: true,
  };
}

function challengeIn(clientDataJSON: string): string {
  try {
    return String(decodeClientDataJSON(clientDataJSON).challenge);
  } catch {
    return "";
  }
}

/** Every answer that proves nothing fails alike, so that a caller learns nothing about passkeys. */
function reject(): never {
  throw new HubError("passkey_rejected");
}
