import { z } from "zod";

/**
 * NEAR's account names: 2 to 64 characters, lower-case letters and digits in runs that single
 * `-`, `_` or `.` separate. An implicit account (64 hex characters) is one of them.
 */
export const accountName = z
  .string()
  .min(2)
  .max(64)
  .regex(/^[a-z\d]+(?:[-_.][a-z\d]+)*$/, "must be a NEAR account name")
  .meta({ description: "A NEAR account name.", examples: ["ada.near"] });

/** Of a gated soul. A contract's name is an account's, as above; an empty one is none. */
export const nftContract = z
  .string()
  .max(64)
  .regex(
    /^(?:[a-z\d]{2,}|[a-z\d]+(?:[-_.][a-z\d]+)+)?$/,
    "must be a NEAR account name, or empty for none",
  )
  .nullable()
  .meta({
    description:
      "The NFT contract on NEAR that gates the soul: who owns one of its tokens may read, talk to and fork it. Null or empty: no gate.",
    examples: [null],
  })
  .transform((name) => name || null);

/** 32 bytes are 43 or 44 characters of base58, fewer where they begin with zeros. */
export const publicKeyText = z
  .string()
  .regex(
    /^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$/,
    "must be `ed25519:` and 32 bytes in base58, as NEAR writes keys",
  )
  .meta({
    description: "`ed25519:` and 32 bytes in base58.",
    examples: ["ed25519:2RM3EotCzEiVobm6aMjaup43k8cFffR4KHFtrqbZ79Qy"],
  });

/** The longest, hex with its prefix, has 136 characters; decoding base58 takes the square of the length. */
export const signatureText = z
  .string()
  .max(136)
  .meta({
    description:
      "64 bytes in hex, base64, base64url or base58, with or without `ed25519:` before it.",
    examples: [
      "zzZQ/GwAjrZVrTIFlvmmQbDQHllfzrr8urVWHaRt5cPfcXaCSZo35c5LDpPpTKivR6BxLyb3lcPM0FfCW5lcBQ==",
    ],
  });

export const signedMessage = z
  .string()
  .regex(/^service_auth:\d{13}$/, "must be `service_auth:` and the time in milliseconds, 13 digits")
  .meta({
    description:
      "`service_auth:` and the Unix time in milliseconds; at most 5 minutes old. Works once.",
    examples: ["service_auth:1767225600000"],
  });

export const nonceText = z
  .string()
  .regex(/^[A-Za-z\d+/]{43}=$/, "must be 32 bytes in base64")
  .meta({
    description:
      "32 bytes in base64, where the wallet signed by NEP-413. Goes together with `recipient`.",
    examples: ["KNV0cOpvJ50D5vfF9pqWom8wo2sliQ4W+Wa7uZ3Uk6Y="],
  });

export const recipient = z
  .string()
  .max(260)
  .meta({
    description: "Whom the NEP-413 signature is for: this hub's host, with its port if it has one.",
    examples: ["hub.example.org"],
  });

export const callbackUrl = z
  .string()
  .min(1)
  .max(2_048)
  .meta({
    description: "The callback URL that is part of the NEP-413 payload, if one is.",
    examples: ["https://hub.example.org/signed"],
  });
