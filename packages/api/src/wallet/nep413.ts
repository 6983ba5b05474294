import { createHash } from "node:crypto";

/** 2^31 + 413: no transaction begins with it, so that a signed message can't be one. */
const TAG = 2 ** 31 + 413;

/** What a wallet shows and signs by NEP-413. */
export interface Nep413Payload {
  message: string;
  /** 32 bytes. */
  nonce: Uint8Array;
  recipient: string;
  callbackUrl: string | null;
}

/** The bytes that are signed: SHA-256 of the tag and the payload in Borsh. */
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
