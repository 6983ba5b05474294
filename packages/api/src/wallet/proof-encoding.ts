import { base58, base64, base64nopad, base64url, base64urlnopad, hex } from "@scure/base";

const PREFIX = "ed25519:";
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const NONCE_BYTES = 32;

type Bytes = Uint8Array<ArrayBuffer>;

/** All of them strict: no white space, no foreign characters, no bits beyond the last byte. */
const signatureEncodings = [hex, base64, base64nopad, base64url, base64urlnopad, base58];

/** @returns null where the text is not exactly 32 bytes */
export function decodePublicKey(text: string): Bytes | null {
  return text.startsWith(PREFIX) ? decode(base58, text.slice(PREFIX.length), KEY_BYTES) : null;
}

/** As NEAR writes it. One key has one text: base58 leaves no choice. */
export const encodePublicKey = (key: Uint8Array): string => PREFIX + base58.encode(key);

/**
 * Every signature that the text can stand for, none where it is not exactly 64 bytes. Two are
 * possible: base58 that begins with `1` (a zero byte) can be base64url as well.
 */
export function decodeSignature(text: string): Bytes[] {
  const bare = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
  const found = new Map<string, Bytes>();
  for (const encoding of signatureEncodings) {
    const bytes = decode(encoding, bare, SIGNATURE_BYTES);
    if (bytes) found.set(hex.encode(bytes), bytes);
  }
  return [...found.values()];
}

/** @returns null where the text is not exactly 32 bytes */
export const decodeNonce = (text: string): Bytes | null => decode(base64, text, NONCE_BYTES);

function decode(encoding: typeof hex, text: string, length: number): Bytes | null {
  try {
    const bytes = encoding.decode(text);
    return bytes.length === length ? new Uint8Array(bytes) : null;
  } catch {
    return null;
  }
}
