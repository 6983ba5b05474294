import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Vault } from "../vault.ts";

/** `shk_` + 30 base62 characters + 6 base62 characters of CRC32 over what stands before (decisions §3). */
const PATTERN = /^shk_[0-9A-Za-z]{36}$/;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_CHARS = 30;
const CHECKSUM_CHARS = 6;

function checksum(text: string): string {
  let rest = crc32(text);
  let out = "";
  for (let i = 0; i < CHECKSUM_CHARS; i++) {
    out = ALPHABET.charAt(rest % ALPHABET.length) + out;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return out;
}

export function createApiKey(): string {
  let key = "shk_";
  for (let i = 0; i < SECRET_CHARS; i++) key += ALPHABET.charAt(randomInt(ALPHABET.length));
  return key + checksum(key);
}

/** Tells a mistyped or made-up key from a real one without asking the database. */
export const isWellFormedApiKey = (text: string): boolean =>
  PATTERN.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_CHARS)));

/** For look-up. The key has 178 random bits, so a plain hash of it gives nothing away. */
export const hashApiKey = (key: string): string =>
  createHash("sha256").update(key).digest("base64url");

export const API_KEY_PURPOSE = "api-key";

/**
 * A new key and what the accounts table holds of it. Usernames never change, so the sealed key is
 * bound to one account before its id is known.
 */
export function issueApiKey(vault: Vault, username: string) {
  const apiKey = createApiKey();
  const api_key_sealed = vault.seal(API_KEY_PURPOSE, username.toLowerCase(), apiKey);
  return { apiKey, columns: { api_key_hash: hashApiKey(apiKey), api_key_sealed } };
}

/** The key again, for login (decisions §3). */
export const openApiKey = (vault: Vault, username: string, sealed: string): string =>
  vault.open(API_KEY_PURPOSE, username.toLowerCase(), sealed);
