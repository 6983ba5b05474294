import { type AccountContext, assertPass } from "../../caller/caller.ts";
import { HubError } from "../../errors.ts";
import { activeModels } from "../byok/byok.service.ts";
import type { ModelPort } from "../models/model-port.ts";

/**
 * Returns the models of the party that pays for a stateless call (0051): the platform for an account
 * with a pass, else the account's own provider. An app may ask for the own provider. Nothing
 * switches by itself when a quota ends.
 * @returns the models of the own provider; null for the platform's
 * @throws HubError `pass_required` or `pass_expired` if neither can pay; those of activeModels if
 *   the app asked for the own provider
 */
export async function ownModelsOf(
  ctx: AccountContext,
  { ownProvider, hasImage }: { ownProvider: boolean; hasImage: boolean },
): Promise<ModelPort | null> {
  if (ownProvider) return activeModels(ctx, hasImage);
  if (ctx.caller.account.tier !== "free") return null;
  try {
    return await activeModels(ctx, hasImage);
  } catch (error) {
    if (error instanceof HubError && error.code === "byok_inactive") assertPass(ctx.caller);
    throw error;
  }
}
