import type { z } from "zod";
import type { AccountContext } from "../../caller/caller.ts";
import { HubError } from "../../errors.ts";
import { givenPassword } from "../accounts.schema.ts";
import { readKeyHolder } from "../api-key.service.ts";
import { assertOwnPassword } from "../passwords/password-rules.ts";
import { assertOwnPasskey } from "./passkey-answers.ts";
import { passkeyAnswer } from "./passkeys.schema.ts";

/** The fields of a body that needs a proof: one of them proves that the owner sends the call. */
export const proofFields = {
  password: givenPassword.optional(),
  passkey: passkeyAnswer
    .optional()
    .describe(
      "The browser's answer to the `sign-in` options of a passkey, in place of a password.",
    ),
};

export type Proof = z.infer<z.ZodObject<typeof proofFields>>;

/**
 * Checks that the owner of the account sends the call: with the password, or with a passkey. A
 * stolen key or an unattended browser must not suffice. Wrong proofs are throttled as logins.
 * @returns the account as it was proven; a change compares `password_hash` with it
 * @throws HubError `wrong_password`, `passkey_rejected`, `rate_limited`, `overloaded`
 */
export async function checkProof(ctx: AccountContext, { password, passkey }: Proof) {
  const holder = await readKeyHolder(ctx);
  if (password !== undefined) await assertOwnPassword(ctx, holder, password);
  else if (passkey !== undefined) await assertOwnPasskey(ctx, passkey);
  else throw new HubError("wrong_password");
  return holder;
}
