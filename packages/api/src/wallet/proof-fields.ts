import { z } from "zod";
import { field } from "../fields.schema.ts";
import { decodeNonce, decodePublicKey, decodeSignature } from "./proof-encoding.ts";
import type { SignedText } from "./signed-proof.ts";

/** A text field that the schema decodes. If `decode` returns null, the field fails with `message`. */
const decoded = <Value>(
  encoded: z.ZodString,
  decode: (text: string) => Value | null,
  message: string,
) =>
  encoded.transform((text, refinement) => {
    const value = decode(text);
    if (value !== null) return value;
    refinement.addIssue(message);
    return z.NEVER;
  });

/** Fields of a signed text in a request, without the text (encodings and NEP-413: decisions §4). */
export const signatureFields = {
  /** A key of 32 bytes has up to 44 characters in base58, fewer if its first bytes are zero. */
  public_key: decoded(
    field(
      z
        .string()
        .regex(
          /^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$/,
          "must be `ed25519:` and 32 bytes in base58",
        ),
      "ed25519:2RM3EotCzEiVobm6aMjaup43k8cFffR4KHFtrqbZ79Qy",
      "`ed25519:` and 32 bytes in base58.",
    ),
    decodePublicKey,
    "must be exactly 32 bytes",
  ),
  /**
   * The longest signature is hex with a prefix. The length is limited, because decoding base58
   * takes quadratic time.
   */
  signature: decoded(
    field(
      z.string().max(136),
      "zzZQ/GwAjrZVrTIFlvmmQbDQHllfzrr8urVWHaRt5cPfcXaCSZo35c5LDpPpTKivR6BxLyb3lcPM0FfCW5lcBQ==",
      "64 bytes in hex, base64, base64url or base58. The prefix `ed25519:` is optional.",
    ),
    decodeSignature,
    "must be exactly 64 bytes in hex, base64, base64url or base58",
  ),
  nonce: decoded(
    field(
      z.string().regex(/^[A-Za-z\d+/]{43}=$/, "must be 32 bytes in base64"),
      "KNV0cOpvJ50D5vfF9pqWom8wo2sliQ4W+Wa7uZ3Uk6Y=",
      "32 bytes in base64, for NEP-413. Requires `recipient`.",
    ),
    decodeNonce,
    "must be exactly 32 bytes in base64",
  ).optional(),
  recipient: field(
    z.string().max(260),
    "hub.example.org",
    "Recipient of the NEP-413 payload: the host of this hub, with its port if it has one.",
  ).optional(),
  callback_url: field(
    z.string().min(1).max(2_048),
    "https://hub.example.org/signed",
    "Callback URL of the NEP-413 payload, if it has one.",
  ).optional(),
};

/** Fields of a wallet proof in a request (specification §5.3). */
export const proofFields = {
  message: field(
    z
      .string()
      .regex(
        /^service_auth:\d{13}$/,
        "must be `service_auth:` and the time in milliseconds, 13 digits",
      ),
    "service_auth:1767225600000",
    "`service_auth:` and the Unix time in milliseconds, at most 5 minutes old.",
  ),
  ...signatureFields,
};

type SignatureInput = z.output<z.ZodObject<typeof signatureFields>>;

/**
 * True if the NEP-413 fields are complete. Either `nonce` and `recipient` are given, or no field is.
 */
export const areComplete = ({ nonce, recipient, callback_url }: Partial<SignatureInput>) =>
  nonce === undefined
    ? recipient === undefined && callback_url === undefined
    : recipient !== undefined;
export const incomplete = { path: ["nonce"], message: "must be sent together with recipient" };

/** Joins the decoded fields of a request with the text that they sign. */
export const toSignedText = (input: SignatureInput, message: string): SignedText => ({
  publicKey: input.public_key,
  signatures: input.signature,
  message,
  envelope:
    input.nonce && input.recipient !== undefined
      ? { nonce: input.nonce, recipient: input.recipient, callbackUrl: input.callback_url ?? null }
      : null,
});
