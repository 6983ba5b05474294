import type { AccountContext } from "../../context.ts";
import { HubError } from "../../errors.ts";
import type { RemoteProvider } from "../models/model-id.ts";
import type { ModelPort } from "../models/model-port.ts";
import { readBaseUrl } from "./base-url.ts";
import { openProviderKey, readStoredKeys, showKey } from "./stored-key.ts";

export async function listKeys({ hub, db, caller }: AccountContext) {
  const keys = await readStoredKeys(db, caller.account.id);
  return { keys: keys.map((row) => showKey(hub, row)) };
}

/** Harmless where there is none. No other key becomes active in its place. */
export async function deleteKey({ db, caller }: AccountContext, provider: RemoteProvider) {
  const deleted = await db
    .deleteFrom("provider_keys")
    .where("account_id", "=", caller.account.id)
    .where("provider", "=", provider)
    .returning("id")
    .execute();
  return {
    message:
      deleted.length > 0
        ? `Your key for ${provider} is deleted.`
        : `You have no key for ${provider}.`,
  };
}

/**
 * The models behind the caller's active key.
 * @throws HubError `byok_inactive`, `image_not_allowed` where an image comes and no vision model is named
 */
export async function activeModels(
  { hub, db, caller }: AccountContext,
  hasImage: boolean,
): Promise<ModelPort> {
  const keys = await readStoredKeys(db, caller.account.id);
  const key = keys.find(({ active }) => active);
  if (!key) throw new HubError("byok_inactive");
  const { provider, text_model, vision_model, api_key_sealed } = key;
  if (hasImage && !vision_model) {
    throw new HubError("image_not_allowed", {
      message: `Your key for ${provider} names no vision_model. Set one with PUT /api/byok.`,
    });
  }
  if (!hasImage && !text_model) {
    throw new HubError("byok_inactive", {
      message: `Your key for ${provider} names no text_model. Set one with PUT /api/byok.`,
    });
  }
  const apiKey = openProviderKey(hub, key);
  if (apiKey === null) {
    throw new HubError("byok_inactive", {
      message: `Your stored key for ${provider} can't be opened any more. Save it again with PUT /api/byok.`,
    });
  }
  const own = {
    provider,
    apiKey,
    baseUrl: key.base_url && stillAllowed(key.base_url, hub.ownModels.allowedHosts),
    textModel: text_model ?? vision_model,
    visionModel: vision_model,
  };
  return hub.ownModels.modelsOf(own, `${caller.account.id} ${api_key_sealed} ${key.base_url}`);
}

/** The operator may have taken the host off the list since. */
function stillAllowed(baseUrl: string, allowedHosts: ReadonlySet<string>): string {
  try {
    return readBaseUrl(baseUrl, allowedHosts);
  } catch (cause) {
    throw new HubError("byok_inactive", {
      message: "The operator of this hub no longer allows the host of your base_url.",
      cause,
    });
  }
}
