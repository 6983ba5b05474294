import { createHash, randomBytes } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import { base58 } from "@scure/base";
import { nep413Digest } from "./nep413.ts";

/** Somebody's wallet: a name on the chain and a key to sign with. */
export interface TestWallet {
  name: string;
  /** `ed25519:<base58>` */
  publicKey: string;
  /** The implicit account of the key. */
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

/** The fields of a proof, as a client sends them. */
export interface ProofFields {
  public_key: string;
  signature: string;
  message: string;
  nonce?: string;
  recipient?: string;
  callback_url?: string;
}

/** `stamp`s differ, so that two proofs made in one millisecond are two. */
let lastStamp = 0;
export function freshMessage(): string {
  lastStamp = Math.max(lastStamp + 1, Date.now());
  return `service_auth:${lastStamp}`;
}

export const messageAt = (ms: number): string => `service_auth:${Math.round(ms)}`;

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
export const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
export const utf8 = (text: string): Uint8Array => Buffer.from(text, "utf8");
export const sha256 = (text: string): Uint8Array => createHash("sha256").update(text).digest();

/** The raw message signed, in hex. */
export function prove(wallet: TestWallet, message = freshMessage()): ProofFields {
  return {
    public_key: wallet.publicKey,
    message,
    signature: toHex(wallet.sign(utf8(message))),
  };
}

/** As a wallet signs by NEP-413. */
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
