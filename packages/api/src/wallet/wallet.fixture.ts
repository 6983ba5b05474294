import { createHash, randomBytes } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { base58 } from "@scure/base";
import { nep413Digest } from "./nep413.ts";

/** A wallet: an account name and a key pair. */
export interface TestWallet {
  name: string;
  /** The public key, `ed25519:<base58>`. */
  publicKey: string;
  /** Name of the implicit NEAR account of the key. */
  implicitName: string;
  sign(bytes: Uint8Array): Uint8Array;
}

export function createWallet(name: string): TestWallet {
  const { secretKey, publicKey } = ed25519.keygen();
  return {
    name,
    publicKey: `ed25519:${base58.encode(publicKey)}`,
    implicitName: Buffer.from(publicKey).toString("hex"),
    sign: (bytes) => ed25519.sign(bytes, secretKey),
  };
}

/** The fields of a request that carry a wallet proof. */
export interface ProofFields {
  public_key: string;
  signature: string;
  message: string;
  nonce?: string;
  recipient?: string;
  callback_url?: string;
}

let lastStamp = 0;
/** Returns a message with a unique timestamp, also for two proofs in one millisecond. */
export function freshMessage(): string {
  lastStamp = Math.max(lastStamp + 1, Date.now());
  return `service_auth:${lastStamp}`;
}

export const messageAt = (ms: number): string => `service_auth:${Math.round(ms)}`;

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
export const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
export const utf8 = (text: string): Uint8Array => Buffer.from(text, "utf8");
export const sha256 = (text: string): Uint8Array => createHash("sha256").update(text).digest();

/** Creates a proof with a signature of the bare message, in hex. */
export function prove(wallet: TestWallet, message = freshMessage()): ProofFields {
  return {
    public_key: wallet.publicKey,
    message,
    signature: toHex(wallet.sign(utf8(message))),
  };
}

/** Creates a proof with a NEP-413 signature, in base64. */
export function proveByNep413(
  wallet: TestWallet,
  recipient: string,
  { message = freshMessage(), nonce = randomBytes(32), callbackUrl = null as string | null } = {},
): ProofFields {
  const digest = nep413Digest({ message, nonce, recipient, callbackUrl });
  return {
    public_key: wallet.publicKey,
    message,
    signature: toBase64(wallet.sign(digest)),
    nonce: toBase64(nonce),
    recipient,
    ...(callbackUrl === null ? {} : { callback_url: callbackUrl }),
  };
}

export const bindBody = (wallet: TestWallet, proof: ProofFields = prove(wallet)) => ({
  action: "bind",
  wallet: wallet.name,
  ...proof,
});

export const loginBody = (wallet: TestWallet, proof: ProofFields = prove(wallet)) => ({
  account_id: wallet.name,
  ...proof,
});
