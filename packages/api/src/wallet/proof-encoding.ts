import { base58, base64, base64nopad, base64url, base64urlnopad, hex } from "@scure/base";

const PREFIX = "ed25519:";
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const NONCE_BYTES = 32;

type Bytes = Uint8Array<ArrayBuffer>;

/** Strict decoders of signatures: white space, foreign characters and nonzero padding bits are errors. */
const signatureEncodings = [hex, base64, base64nopad, base64url, base64urlnopad, base58];

/**
 * Decodes a public key of the form `ed25519:<base58>`.
 * @returns null if the text does not encode exactly 32 bytes
 */
export function decodePublicKey(text: string): Bytes | null {
  return text.startsWith(PREFIX) ? decode(base58, text.slice(PREFIX.length), KEY_BYTES) : null;
}

/** Encodes a public key as NEAR does, `ed25519:<base58>`. Each key has exactly one such text. */
export const encodePublicKey = (key: Uint8Array): string => PREFIX + base58.encode(key);

/**
 * Decodes a signature in each accepted encoding (decisions §4, Encoding).
 * @returns the distinct signatures of exactly 64 bytes, or null if there are none. Base58 text that
 *   starts with `1` can be valid base64url too.
 */
export function decodeSignature(text: string): Bytes[] | null {
  const bare = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
  const found = new Map<string, Bytes>();
  for (const encoding of signatureEncodings) {
    const bytes = decode(encoding, bare, SIGNATURE_BYTES);
    if (bytes) found.set(hex.encode(bytes), bytes);
  }
  return found.size > 0 ? [...found.values()] : null;
}

/** Decodes a nonce from base64. @returns null if the text does not encode exactly 32 bytes */
export const decodeNonce = (text: string): Bytes | null => decode(base64, text, NONCE_BYTES);

function decode(encoding: typeof hex, text: string, length: number): Bytes | null {
  try {
    const bytes = encoding.decode(text);
    return bytes.length === length ? new Uint8Array(bytes) : null;
  } catch {
    return null;
  }
}
