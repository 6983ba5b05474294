import { createHash } from "node:crypto";

/**
 * Tag of NEP-413. No NEAR transaction starts with this number, so a signed message cannot be used
 * as a transaction.
 */
const TAG = 2 ** 31 + 413;

/** The payload that a wallet shows and signs (NEP-413). */
export interface Nep413Payload {
  message: string;
  /** A nonce of 32 bytes. */
  nonce: Uint8Array;
  recipient: string;
  callbackUrl: string | null;
}

/** Computes the bytes that a wallet signs: SHA-256 of the tag and the Borsh-encoded payload. */
export function nep413Digest({ message, nonce, recipient, callbackUrl }: Nep413Payload): Buffer {
  return createHash("sha256")
    .update(u32(TAG))
    .update(borshText(message))
    .update(nonce)
    .update(borshText(recipient))
    .update(
      callbackUrl === null ? Buffer.of(0) : Buffer.concat([Buffer.of(1), borshText(callbackUrl)]),
    )
    .digest();
}

function borshText(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  return Buffer.concat([u32(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
