import { z } from "zod";
import { HubError } from "../../errors.ts";
import { givenPassword } from "../accounts.schema.ts";
import { readKeyHolder } from "../api-key.service.ts";
import type { AccountContext } from "../caller.ts";
import { assertOwnPassword } from "../passwords/password-rules.ts";

/** The fields of a body that needs a proof: one of them proves that the owner sends the call. */
export const proofFields = {
  password: givenPassword.optional(),
  passkey: z
    .looseObject({})
    .optional()
    .meta({ description: "The browser's answer to the `sign-in` options.", examples: [{}] }),
};

export type Proof = z.infer<z.ZodObject<typeof proofFields>>;

/**
 * Checks that the owner of the account sends the call: with the password, or with a passkey. A
 * stolen key or an unattended browser must not suffice. Wrong passwords are throttled as logins.
 * @returns the account as it was proven; a change compares `password_hash` with it
 * @throws HubError `wrong_password`, `passkey_rejected`, `rate_limited`, `overloaded`
 */
export async function checkProof(ctx: AccountContext, { password, passkey }: Proof) {
  const holder = await readKeyHolder(ctx);
  if (password !== undefined) await assertOwnPassword(ctx, holder, password);
  else if (passkey !== undefined) throw new HubError("passkey_rejected");
  else throw new HubError("wrong_password");
  return holder;
}
