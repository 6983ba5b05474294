import { createHash, hash } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { nep413Digest } from "./nep413.ts";

/** A decoded wallet proof (specification §5.3). */
export interface WalletProof {
  publicKey: Uint8Array;
  /** Possible decodings of the signature, 64 bytes each. */
  signatures: readonly Uint8Array[];
  /** The signed message, `service_auth:<13 digits>`. */
  message: string;
  /** NEP-413 fields; null if the wallet signed the bare message. */
  envelope: { nonce: Uint8Array; recipient: string; callbackUrl: string | null } | null;
}

/** Tells whether the key signed an accepted form of the message (decisions §4, Encoding). */
export function isSigned(proof: WalletProof): boolean {
  const forms = signedForms(proof);
  // By default, @noble/curves verifies by zip215, which accepts forged signatures of small-order
  // keys.
  return proof.signatures.some((signature) =>
    forms.some((form) => ed25519.verify(signature, form, proof.publicKey, { zip215: false })),
  );
}

/**
 * Returns the forms of the message that the wallet may have signed. With a nonce, only NEP-413 is
 * accepted. The other forms do not cover the nonce: their signatures could be replayed with any
 * nonce.
 */
function signedForms({ message, envelope }: WalletProof): Uint8Array[] {
  if (envelope) return [nep413Digest({ message, ...envelope })];
  const raw = Buffer.from(message, "utf8");
  return [raw, hash("sha256", raw, "buffer")];
}

/**
 * Returns an id made of key, message and nonce, regardless of their encoding (decisions §4,
 * Freshness). Each of the three has a fixed length, so that their concatenation is unambiguous.
 */
export function proofId({ publicKey, message, envelope }: WalletProof): string {
  const digest = createHash("sha256").update(publicKey).update(message);
  if (envelope) digest.update(envelope.nonce);
  return digest.digest("base64url");
}

/** Time of signing as the message of a proof states it, in Unix milliseconds. */
export const signedAtMs = ({ message }: WalletProof): number =>
  Number(message.slice(message.indexOf(":") + 1));
