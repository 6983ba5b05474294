import { createHash } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { nep413Digest } from "./nep413.ts";

/** What a caller shows for a wallet (specification §5.3), decoded. */
export interface WalletProof {
  publicKey: Uint8Array;
  /** What the text of the signature can stand for. */
  signatures: readonly Uint8Array[];
  /** `service_auth:<13 digits>` */
  message: string;
  /** Set where the wallet signed by NEP-413. */
  envelope: { nonce: Uint8Array; recipient: string; callbackUrl: string | null } | null;
}

/** Whether one of the signatures is the key's own, over a form that decisions §4 accepts. */
export function isSigned(proof: WalletProof): boolean {
  const forms = signedForms(proof);
  // Strict on purpose: by the lax default a small-order key has a signature for every message.
  return proof.signatures.some((signature) =>
    forms.some((form) => ed25519.verify(signature, form, proof.publicKey, { zip215: false })),
  );
}

/**
 * With a nonce NEP-413 alone: in the other forms it isn't signed, and whoever holds one of their
 * signatures could use it again and again, each time with another nonce.
 */
function signedForms({ message, envelope }: WalletProof): Uint8Array[] {
  if (envelope) return [nep413Digest({ message, ...envelope })];
  const raw = Buffer.from(message, "utf8");
  return [raw, createHash("sha256").update(raw).digest()];
}

/**
 * Names a proof for single use (decisions §4): key, message and nonce, however they came encoded.
 * The message has one length, so that no two proofs run together.
 */
export function proofId({ publicKey, message, envelope }: WalletProof): string {
  const hash = createHash("sha256").update(publicKey).update(message);
  if (envelope) hash.update(envelope.nonce);
  return hash.digest("base64url");
}

/** When the message says it was signed, in milliseconds. */
export const signedAtMs = ({ message }: WalletProof): number =>
  Number(message.slice(message.indexOf(":") + 1));
