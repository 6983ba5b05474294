import { z } from "zod";
import { field, utcTime } from "../../fields.schema.ts";
import { givenName } from "../accounts.schema.ts";

export const passkeyName = givenName("my phone");

/** Bytes in base64url, without padding. */
const bytes = (maxChars: number, example: string) =>
  field(
    z
      .string()
      .max(maxChars)
      .regex(/^[\w-]+$/, "must be base64url"),
    example,
  );

const answer = <Shape extends z.ZodRawShape>(response: Shape) =>
  z.object({
    id: bytes(1_364, "AQIDBAUGBwgJCgsMDQ4PEA"),
    rawId: bytes(1_364, "AQIDBAUGBwgJCgsMDQ4PEA"),
    type: field(z.literal("public-key"), "public-key"),
    response: z.object({ clientDataJSON: bytes(8_192, "eyJ0eXBlIjoid2ViYXV0aG4ifQ"), ...response }),
  });

/** The answer of a device that made a passkey: `PublicKeyCredential.toJSON()` (0060). */
export const newPasskeyAnswer = answer({ attestationObject: bytes(32_768, "o2NmbXRkbm9uZQ") });
export type NewPasskeyAnswer = z.infer<typeof newPasskeyAnswer>;

/** The answer of a device that signed a challenge: `PublicKeyCredential.toJSON()` (0060). */
export const passkeyAnswer = answer({
  authenticatorData: bytes(4_096, "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ"),
  signature: bytes(8_192, "MEUCIQ"),
  userHandle: bytes(86, "MQ").optional(),
});
passkeyAnswer.register(z.globalRegistry, { id: "PasskeyAnswer" });
export type PasskeyAnswer = z.infer<typeof passkeyAnswer>;

/** A passkey in a list. */
export const shownPasskey = z.object({
  id: field(z.int(), 1),
  name: field(z.string(), "my phone"),
  created_at: utcTime,
  last_used_at: utcTime.nullable(),
  usable: field(z.boolean(), true, "False if the passkey was made for another host of this hub."),
});
shownPasskey.register(z.globalRegistry, { id: "Passkey" });
