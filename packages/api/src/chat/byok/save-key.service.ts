import { lockAccount } from "../../accounts/standing/standing.queries.ts";
import type { AccountContext } from "../../caller/caller.ts";
import { quotaSubject } from "../../caller/caller.ts";
import type { Db } from "../../db/database.ts";
import { HubError, invalidField } from "../../errors.ts";
import type { RemoteProvider } from "../models/model-id.ts";
import { readBaseUrl } from "./allowed-hosts.ts";
import type { KeyChange } from "./byok.schema.ts";
import { disconnectSignal } from "./disconnect-signal.ts";
import {
  openProviderKey,
  readStoredKeys,
  type StoredKey,
  sealProviderKey,
  showKey,
} from "./stored-key.ts";

/**
 * Default text model per provider, for a new key without a text model. The response to the save
 * contains it.
 */
const defaultModel: Record<RemoteProvider, string | null> = {
  openai: "gpt-5-mini",
  anthropic: "claude-haiku-4-5",
  google: "gemini-2.5-flash",
  "openai-compatible": null,
};

/**
 * Maximum attempts to save a key. A save is repeated if a concurrent save changed a field that it
 * leaves unchanged.
 */
const MAX_ATTEMPTS = 5;

/**
 * Saves a new key after its provider accepted it, or changes a stored entry (decisions §5, BYOK).
 * @param disconnected aborts when the caller disconnects, which cancels the check
 * @throws HubError `invalid_input`, `byok_key_rejected`, `provider_failed`, `overloaded`
 */
export async function saveKey(
  ctx: AccountContext,
  change: KeyChange,
  disconnected: AbortSignal | undefined,
) {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const stored = await storedKey(ctx.db, ctx.caller.account.id, change.provider);
    const wanted = merge(ctx, stored, change);
    // The provider checks a new key, and a stored key at a new base_url.
    if (change.api_key !== undefined || wanted.base_url !== (stored?.base_url ?? null)) {
      await check(ctx, wanted, disconnected);
    }
    const isUnchanged = (latest: StoredKey | undefined) =>
      keptColumns(change).every((column) => latest?.[column] === stored?.[column]);
    const saved = await store(ctx.db, wanted, isUnchanged);
    if (saved) {
      const state = saved.active ? "active" : "not active";
      return {
        message: `Your key for ${saved.provider} is saved and ${state}.`,
        key: showKey(ctx.hub, saved),
      };
    }
  }
  throw new HubError("overloaded");
}

const storedKey = async (db: Db, accountId: number, provider: string) =>
  (await readStoredKeys(db, accountId)).find((row) => row.provider === provider);

/** The columns that a save writes. */
type WantedKey = Omit<StoredKey, "id" | "created_at">;

/** Applies the change to the stored entry. @throws HubError `invalid_input` */
function merge(
  { hub, caller }: AccountContext,
  stored: StoredKey | undefined,
  change: KeyChange,
): WantedKey {
  const { provider, api_key, base_url, active } = change;
  const owner = { account_id: caller.account.id, provider };
  const api_key_sealed = api_key ? sealProviderKey(hub, owner, api_key) : stored?.api_key_sealed;
  if (!api_key_sealed) {
    throw invalidField("api_key", `is required, because no key for ${provider} is stored`);
  }
  const takesUrl = provider === "openai-compatible";
  if (!takesUrl && typeof base_url === "string") {
    throw invalidField("base_url", "is allowed for openai-compatible only");
  }
  const givenUrl = base_url === undefined ? stored?.base_url : base_url;
  if (takesUrl && !givenUrl) throw invalidField("base_url", "is required for openai-compatible");
  // A stored key can still be deactivated after the operator stopped allowing its host.
  const isAsStored = base_url === undefined && api_key === undefined;
  const { text_model = stored?.text_model, vision_model = stored?.vision_model } = change;
  return {
    ...owner,
    api_key_sealed,
    text_model: text_model ?? defaultModel[provider],
    vision_model: vision_model ?? null,
    base_url:
      takesUrl && givenUrl && !isAsStored
        ? readBaseUrl(givenUrl, hub.ownModels.allowedHosts)
        : (stored?.base_url ?? null),
    active,
  };
}

/** Returns the columns that a change leaves unchanged, because it omits their fields. */
function keptColumns({ api_key, text_model, vision_model, base_url }: KeyChange) {
  const given = { api_key_sealed: api_key, text_model, vision_model, base_url };
  return (Object.keys(given) as (keyof typeof given)[]).filter(
    (column) => given[column] === undefined,
  );
}

/**
 * Checks a key in one of the slots for model calls. The check has a queue key of its own, so that
 * it need not wait behind replies.
 */
async function check(
  { hub, caller }: AccountContext,
  wanted: WantedKey,
  disconnected: AbortSignal | undefined,
): Promise<void> {
  const { provider, base_url: baseUrl, text_model: textModel, vision_model: visionModel } = wanted;
  const apiKey = openProviderKey(hub, wanted);
  if (apiKey === null) {
    throw invalidField("api_key", "is required, because the stored key cannot be decrypted");
  }
  using cancelled = disconnectSignal(disconnected);
  const signal = AbortSignal.any([cancelled.signal, hub.stopping]);
  using _slot = await hub.modelCalls.acquire(`key of ${quotaSubject(caller)}`, signal, "own");
  await hub.ownModels.check({ provider, apiKey, baseUrl, textModel, visionModel }, signal);
}

/** Writes the entry. Returns null if a concurrent save changed a value that this save keeps. */
async function store(
  db: Db,
  wanted: WantedKey,
  isUnchanged: (latest: StoredKey | undefined) => boolean,
): Promise<StoredKey | null> {
  const { account_id, provider, active } = wanted;
  return db.transaction().execute(async (tx) => {
    // The lock serialises the saves of an account, so that one key at most is active.
    await lockAccount(tx, account_id);
    if (!isUnchanged(await storedKey(tx, account_id, provider))) return null;
    if (active) {
      await tx
        .updateTable("provider_keys")
        .set({ active: false })
        .where("account_id", "=", account_id)
        .where("provider", "!=", provider)
        .where("active", "=", true)
        .execute();
    }
    const saved = await tx
      .insertInto("provider_keys")
      .values(wanted)
      .onConflict((conflict) => conflict.columns(["account_id", "provider"]).doUpdateSet(wanted))
      .returning(["id", "created_at"])
      .executeTakeFirstOrThrow();
    return { ...wanted, ...saved };
  });
}
