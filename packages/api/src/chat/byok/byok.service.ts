import type { AccountContext } from "../../caller/caller.ts";
import { HubError } from "../../errors.ts";
import type { RemoteProvider } from "../models/model-id.ts";
import type { ModelPort } from "../models/model-port.ts";
import { readBaseUrl } from "./allowed-hosts.ts";
import { openProviderKey, readStoredKeys, showKey } from "./stored-key.ts";

/** Lists the caller's keys. The response never contains a key itself. */
export async function listKeys({ hub, db, caller }: AccountContext) {
  const keys = await readStoredKeys(db, caller.account.id);
  return { keys: keys.map((row) => showKey(hub, row)) };
}

/**
 * Deletes the account's key for a provider, if there is one. No other key becomes active instead.
 */
export async function deleteKey({ db, caller }: AccountContext, provider: RemoteProvider) {
  const deleted = await db
    .deleteFrom("provider_keys")
    .where("account_id", "=", caller.account.id)
    .where("provider", "=", provider)
    .returning("id")
    .executeTakeFirst();
  const message = deleted
    ? `Your key for ${provider} is deleted.`
    : `You have no key for ${provider}.`;
  return { message };
}

/**
 * Returns the models of the caller's active key.
 * @throws HubError `byok_inactive` if no key is active and usable; `image_not_allowed` for an image
 *   without a vision model
 */
export async function activeModels(
  { hub, db, caller }: AccountContext,
  hasImage: boolean,
): Promise<ModelPort> {
  const keys = await readStoredKeys(db, caller.account.id);
  const key = keys.find(({ active }) => active);
  if (!key) throw new HubError("byok_inactive");
  const { provider, text_model, vision_model, api_key_sealed, base_url } = key;
  if (hasImage && !vision_model) {
    throw new HubError("image_not_allowed", {
      message: `Your key for ${provider} has no vision_model. Set one with PUT /api/byok.`,
    });
  }
  if (!hasImage && !text_model) {
    throw inactive(`Your key for ${provider} has no text_model. Set one with PUT /api/byok.`);
  }
  const apiKey = openProviderKey(hub, key);
  if (apiKey === null) {
    throw inactive(
      `Your stored key for ${provider} cannot be decrypted. Save it again with PUT /api/byok.`,
    );
  }
  const ownKey = {
    provider,
    apiKey,
    baseUrl: base_url && requireAllowed(base_url, hub.ownModels.allowedHosts),
    textModel: text_model ?? vision_model,
    visionModel: vision_model,
  };
  return hub.ownModels.modelsOf(ownKey, `${caller.account.id} ${api_key_sealed} ${base_url}`);
}

/** Checks the host of a base_url at each use, because the operator may have stopped allowing it. */
function requireAllowed(baseUrl: string, allowedHosts: ReadonlySet<string>): string {
  try {
    return readBaseUrl(baseUrl, allowedHosts);
  } catch (cause) {
    throw inactive("The operator of this hub no longer allows the host of your base_url.", cause);
  }
}

const inactive = (message: string, cause?: unknown): HubError =>
  new HubError("byok_inactive", { message, cause });
