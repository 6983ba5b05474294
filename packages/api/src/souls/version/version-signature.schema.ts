import { z } from "zod";
import { field } from "../../fields.schema.ts";
import { accountName } from "../../wallet/wallet.schema.ts";

/** The signature of a version, as the hub stores it and answers it (0036). */
export const versionSignature = z.object({
  wallet: accountName.describe("The wallet that was bound to the owner's account."),
  wallet_verified: field(
    z.boolean(),
    true,
    "True if NEAR confirmed the key as a full-access key of the wallet. False on a hub without a chain.",
  ),
  public_key: field(
    z.string().regex(/^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$/),
    "ed25519:2RM3EotCzEiVobm6aMjaup43k8cFffR4KHFtrqbZ79Qy",
  ),
  signature: field(
    z.string().regex(/^[A-Za-z\d+/]{86}==$/),
    "zzZQ/GwAjrZVrTIFlvmmQbDQHllfzrr8urVWHaRt5cPfcXaCSZo35c5LDpPpTKivR6BxLyb3lcPM0FfCW5lcBQ==",
    "64 bytes in base64, whatever the encoding of the request was.",
  ),
  nonce: field(
    z
      .string()
      .regex(/^[A-Za-z\d+/]{43}=$/)
      .nullable(),
    "KNV0cOpvJ50D5vfF9pqWom8wo2sliQ4W+Wa7uZ3Uk6Y=",
    "The nonce of the NEP-413 payload. Null if the wallet signed the bare statement.",
  ),
  recipient: field(
    z.string().nullable(),
    "hub.example.org",
    "The recipient of the NEP-413 payload.",
  ),
  callback_url: field(z.string().nullable(), null, "The callback URL of the NEP-413 payload."),
  statement: field(
    z.string(),
    "soulhub-version/1\nhub: hub.example.org\nsoul: 1 version 3\ndigest: sha256:21a4ff28943e487b5a6841f46be0dc4dc76c05c686cf97b4dbc52710234817d4",
    "The signed text. Four lines, without a line break at the end.",
  ),
  signed_at: field(
    z.string().regex(/^[\d: -]{19}$/),
    "2026-01-31 12:00:00",
    "The time in UTC at which the hub stored the signature.",
  ),
});
versionSignature.register(z.globalRegistry, { id: "VersionSignature" });

export type VersionSignature = z.infer<typeof versionSignature>;
