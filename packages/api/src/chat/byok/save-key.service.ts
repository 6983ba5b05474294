import { quotaSubject } from "../../accounts/caller.ts";
import type { AccountContext } from "../../context.ts";
import type { Db } from "../../db/entities.ts";
import { HubError } from "../../errors.ts";
import type { RemoteProvider } from "../models/model-id.ts";
import { readBaseUrl } from "./base-url.ts";
import type { KeyChange } from "./byok.schema.ts";
import type { OwnKey } from "./own-key.ts";
import {
  openProviderKey,
  readStoredKeys,
  type StoredKey,
  sealProviderKey,
  showKey,
} from "./stored-key.ts";

/** Good and cheap at the time of writing; whoever wants another names it. Shown in the answer. */
const usualModel: Record<RemoteProvider, string | null> = {
  openai: "gpt-5-mini",
  anthropic: "claude-haiku-4-5",
  google: "gemini-2.5-flash",
  "openai-compatible": null,
};

/** Saves at once that change what this one has just checked: after so many they may come again. */
const MAX_ATTEMPTS = 5;

/**
 * Saves a key once its provider has taken it, or changes what is stored (decisions §5, BYOK).
 * @throws HubError `invalid_input`, `byok_key_rejected`, `provider_failed`
 */
export async function saveKey(
  ctx: AccountContext,
  change: KeyChange,
  leaves: AbortSignal | undefined,
) {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const stored = await storedKey(ctx.db, ctx.caller.account.id, change.provider);
    const wanted = merge(ctx, stored, change);
    if (wanted.isUnchecked) await check(ctx, { ...wanted.key, apiKey: wanted.apiKey() }, leaves);
    const saved = await store(ctx, change, wanted);
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

interface WantedKey {
  key: Omit<OwnKey, "apiKey">;
  /** Opened only where it must be: what can't be opened any more can still be put aside. @throws HubError `invalid_input` */
  apiKey(): string;
  /** Another key or another address than the provider was asked about. */
  isUnchecked: boolean;
  /** The stored parts that this was made of: they must still be there when it is written. */
  madeOf: Partial<Pick<StoredKey, "api_key_sealed" | "base_url">>;
}

/** What is stored with the change on it. @throws HubError `invalid_input` */
function merge(
  { hub }: AccountContext,
  stored: StoredKey | undefined,
  { provider, api_key, text_model, vision_model, base_url }: KeyChange,
): WantedKey {
  if (!api_key && !stored) throw refusal("api_key", `no key for ${provider} is stored yet`);
  const takesUrl = provider === "openai-compatible";
  if (!takesUrl && typeof base_url === "string") {
    throw refusal("base_url", "is for openai-compatible alone");
  }
  const givenUrl = base_url === undefined ? stored?.base_url : base_url;
  if (takesUrl && !givenUrl) throw refusal("base_url", "is required for openai-compatible");
  // What was stored at a host that is no longer allowed can still be put aside.
  const isAsStored = base_url === undefined && api_key === undefined;
  const baseUrl =
    takesUrl && givenUrl && !isAsStored
      ? readBaseUrl(givenUrl, hub.ownModels.allowedHosts)
      : (stored?.base_url ?? null);
  return {
    key: {
      provider,
      baseUrl,
      textModel:
        (text_model === undefined ? stored?.text_model : text_model) ?? usualModel[provider],
      visionModel: (vision_model === undefined ? stored?.vision_model : vision_model) ?? null,
    },
    apiKey() {
      const apiKey = api_key ?? (stored && openProviderKey(hub, stored));
      if (!apiKey) throw refusal("api_key", "the stored one can't be opened: send it again");
      return apiKey;
    },
    isUnchecked: api_key !== undefined || baseUrl !== (stored?.base_url ?? null),
    madeOf: {
      ...(api_key === undefined && stored ? { api_key_sealed: stored.api_key_sealed } : {}),
      ...(base_url === undefined && stored ? { base_url: stored.base_url } : {}),
    },
  };
}

const refusal = (field: string, message: string): HubError =>
  new HubError("invalid_input", { details: [{ field, message }] });

/** Takes turns like a reply, in a line of its own: whoever waits for replies may mend their key. */
async function check(
  { hub, caller }: AccountContext,
  key: OwnKey,
  leaves: AbortSignal | undefined,
): Promise<void> {
  const signal = leaves ? AbortSignal.any([leaves, hub.stopping]) : hub.stopping;
  const giveBackTurn = await hub.turns.take(`key of ${quotaSubject(caller)}`, signal, "own");
  try {
    await hub.ownModels.check(key, signal);
  } finally {
    giveBackTurn();
  }
}

/** @returns null when somebody has changed meanwhile what was checked */
async function store(
  { hub, db, caller }: AccountContext,
  { provider, api_key, active }: KeyChange,
  { key, madeOf }: WantedKey,
): Promise<StoredKey | null> {
  const owner = { account_id: caller.account.id, provider };
  const columns = {
    text_model: key.textModel,
    vision_model: key.visionModel,
    base_url: key.baseUrl,
    active,
    ...(api_key === undefined ? {} : { api_key_sealed: sealProviderKey(hub, owner, api_key) }),
  };
  return db.transaction().execute(async (tx) => {
    // Saves of one account stand in line here: one provider at a time is active.
    await tx
      .selectFrom("accounts")
      .select("id")
      .where("id", "=", owner.account_id)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow();
    const stored = await storedKey(tx, owner.account_id, provider);
    const isAsRead = Object.entries(madeOf).every(
      ([column, was]) => stored?.[column as keyof typeof madeOf] === was,
    );
    if (!isAsRead) return null;
    if (active) {
      await tx
        .updateTable("provider_keys")
        .set({ active: false })
        .where("account_id", "=", owner.account_id)
        .where("provider", "!=", provider)
        .where("active", "=", true)
        .execute();
    }
    const saved = await (stored
      ? tx
          .updateTable("provider_keys")
          .set(columns)
          .where("account_id", "=", owner.account_id)
          .where("provider", "=", provider)
          .returningAll()
      : tx
          .insertInto("provider_keys")
          .values({ ...owner, ...columns })
          .returningAll()
    ).executeTakeFirstOrThrow();
    return { ...saved, provider };
  });
}
