import type { CallContext } from "../../context.ts";
import { completeLogin } from "../accounts.service.ts";
import { verifyPasskey } from "./passkey-answers.ts";
import type { PasskeyAnswer } from "./passkeys.schema.ts";

/**
 * Signs in with a passkey. The device names the account, so no username is needed.
 * @throws HubError `passkey_rejected`, and those of {@link completeLogin}
 */
export async function loginWithPasskey(
  ctx: CallContext,
  { response, remember }: { response: PasskeyAnswer; remember: boolean },
) {
  const accountId = await verifyPasskey(ctx, response);
  const account = await ctx.db
    .selectFrom("accounts")
    .select(["id", "username", "password_hash"])
    .where("id", "=", accountId)
    .executeTakeFirstOrThrow();
  return completeLogin(ctx, account, remember);
}
