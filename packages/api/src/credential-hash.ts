import { hash } from "node:crypto";

/**
 * Hash of an API key or session token, for storage and lookup (decisions §3). Both have more than 128
 * random bits, so that the hash needs no salt.
 */
export const hashCredential = (secret: string): string => hash("sha256", secret, "base64url");
