import type { CallContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import { completeLogin } from "../accounts.service.ts";
import { countLogin } from "../proof/count-login.ts";
import { findSigner } from "../proof/passkey-answers.ts";
import type { PasskeyAnswer } from "../proof/passkeys.schema.ts";

/**
 * Signs in with a passkey. The device names the account, so no username is needed.
 * @throws HubError `passkey_rejected`, and those of {@link completeLogin}
 */
export const loginWithPasskey = (
  ctx: CallContext,
  given: { response: PasskeyAnswer; remember: boolean },
) => countLogin(ctx, "passkey", () => signIn(ctx, given));

async function signIn(
  ctx: CallContext,
  { response, remember }: { response: PasskeyAnswer; remember: boolean },
) {
  const accountId = await findSigner(ctx, response);
  if (accountId === undefined) throw new HubError("passkey_rejected");
  const account = await ctx.db
    .selectFrom("accounts")
    .select(["id", "username", "password_hash"])
    .where("id", "=", accountId)
    .executeTakeFirstOrThrow();
  return completeLogin(ctx, account, remember);
}
