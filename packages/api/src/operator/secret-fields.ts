import { z } from "zod";

/**
 * Master keys as `id:base64,…`. The first key encrypts, and every key can decrypt (decisions §5,
 * BYOK).
 */
export const masterKeys = z
  .string()
  .regex(/^[\w-]+:[A-Za-z0-9+/]{43}=(,[\w-]+:[A-Za-z0-9+/]{43}=)*$/)
  .transform((text) =>
    text.split(",").map((item) => {
      const cut = item.indexOf(":");
      return { id: item.slice(0, cut), key: Buffer.from(item.slice(cut + 1), "base64") };
    }),
  )
  .refine(
    (keys) => new Set(keys.map(({ id }) => id)).size === keys.length,
    "has two keys with one id",
  )
  .refine(
    (keys) => new Set(keys.map(({ key }) => key.toString("base64"))).size === keys.length,
    "has the same key under two ids",
  );

/** The operator's token, without spaces because it is sent as a bearer token. */
export const adminToken = z.string().min(16).regex(/^\S+$/);
