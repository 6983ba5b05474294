import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import { sql } from "kysely";
import { hashCredential } from "../credential-hash.ts";
import type { Vault } from "../vault.ts";

/** An API key: `shk_`, 30 random base62 characters, base62 CRC32 of the text before (decisions §3). */
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

/** Checks pattern and checksum of an API key, to refuse mistyped and invented keys without a query. */
export const isWellFormedApiKey = (text: string): boolean =>
  PATTERN.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_CHARS)));

export const API_KEY_PURPOSE = "api-key";

/**
 * Creates an API key and its columns of the accounts table. The ciphertext is bound to the username,
 * which never changes and is known before the account has an id.
 */
export function issueApiKey(vault: Vault, username: string) {
  const apiKey = createApiKey();
  const api_key_sealed = vault.seal(API_KEY_PURPOSE, username.toLowerCase(), apiKey);
  const columns = {
    api_key_hash: hashCredential(apiKey),
    api_key_sealed,
    api_key_created_at: sql<string>`hub_now()`,
    api_key_used_at: null,
  };
  return { apiKey, columns };
}

/** Decrypts a stored API key (decisions §3). @throws Error if no master key fits the ciphertext */
export const openApiKey = (vault: Vault, username: string, sealed: string): string =>
  vault.open(API_KEY_PURPOSE, username.toLowerCase(), sealed);
