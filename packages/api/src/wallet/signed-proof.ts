import { createHash, createPublicKey, hash, verify } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { nep413Digest } from "./nep413.ts";

/** A text and its decoded signature, as a request contains them. */
export interface SignedText {
  publicKey: Uint8Array;
  /** Possible decodings of the signature, 64 bytes each. */
  signatures: readonly Uint8Array[];
  /** The signed text. With an envelope, it is the message of the NEP-413 payload. */
  message: string;
  /** NEP-413 fields; null if the wallet signed the bare message. */
  envelope: { nonce: Uint8Array; recipient: string; callbackUrl: string | null } | null;
}

/** A decoded wallet proof (specification §5.3). */
export interface WalletProof extends SignedText {
  /** `service_auth:<13 digits>`. */
  message: string;
}

/**
 * Returns the decoding of the signature with which the key signed an accepted form of the text
 * (decisions §4, Encoding); undefined if none is valid.
 */
export function validSignature(signed: SignedText): Uint8Array | undefined {
  const { publicKey, signatures } = signed;
  const forms = signedForms(signed);
  return signatures.find((signature) =>
    forms.some((form) => isStrictlyValid(signature, form, publicKey)),
  );
}

/**
 * Verifies by both rules that verifiers use. By default, @noble/curves verifies by zip215, which
 * accepts forged signatures of small-order keys; its strict rule multiplies by the cofactor. Node's
 * crypto has no cofactor, but accepts small-order keys in some releases. A signature that passes
 * both is valid for every verifier (0036).
 */
const isStrictlyValid = (signature: Uint8Array, form: Uint8Array, publicKey: Uint8Array) =>
  ed25519.verify(signature, form, publicKey, { zip215: false }) &&
  verify(null, form, nodeKey(publicKey), signature);

const nodeKey = (publicKey: Uint8Array) =>
  createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(publicKey).toString("base64url") },
    format: "jwk",
  });

/**
 * Returns the forms of the text that the wallet may have signed. With a nonce, only NEP-413 is
 * accepted. The other forms do not cover the nonce: their signatures could be replayed with any
 * nonce.
 */
function signedForms({ message, envelope }: SignedText): Uint8Array[] {
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
