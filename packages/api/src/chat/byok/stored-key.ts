import type { z } from "zod";
import type { Hub } from "../../context.ts";
import type { Db } from "../../db/entities.ts";
import { utcText } from "../../db/utc-text.ts";
import type { RemoteProvider } from "../models/model-id.ts";
import type { shownKey } from "./byok.schema.ts";

export const PROVIDER_KEY_PURPOSE = "provider-key";

/** What a sealed key is bound to: account and provider (decisions §5, Envelope). */
export interface KeyOwner {
  account_id: number;
  provider: string;
}
const bindOf = ({ account_id, provider }: KeyOwner): string => `${account_id}/${provider}`;

export const sealProviderKey = ({ vault }: Hub, owner: KeyOwner, apiKey: string): string =>
  vault.seal(PROVIDER_KEY_PURPOSE, bindOf(owner), apiKey);

/** A row as the services see it. */
export interface StoredKey {
  account_id: number;
  provider: RemoteProvider;
  api_key_sealed: string;
  text_model: string | null;
  vision_model: string | null;
  base_url: string | null;
  active: boolean;
  created_at: string;
}

/** Null when the text was tampered with, belongs to somebody else, or its master key is gone. */
export function openProviderKey({ vault, log }: Hub, row: StoredKey): string | null {
  try {
    return vault.open(PROVIDER_KEY_PURPOSE, bindOf(row), row.api_key_sealed);
  } catch (error) {
    const { account_id, provider } = row;
    log.error({ err: error, account_id, provider }, "a stored provider key can't be opened");
    return null;
  }
}

/** Those of one account, the first saved first. */
export async function readStoredKeys(db: Db, accountId: number): Promise<StoredKey[]> {
  const rows = await db
    .selectFrom("provider_keys")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ ...row, provider: row.provider as RemoteProvider }));
}

const HINT_CHARS = 4;

/** Worked out from the key itself: no part of it stands in the table. */
export function showKey(hub: Hub, row: StoredKey): z.infer<typeof shownKey> {
  const { provider, text_model, vision_model, base_url, active, created_at } = row;
  return {
    provider,
    hint: hintOf(hub, row),
    text_model,
    vision_model,
    base_url,
    active,
    created_at: utcText(created_at),
  };
}

/** A key that can't be opened any more must still be seen, to be replaced. */
function hintOf(hub: Hub, row: StoredKey): string {
  const key = openProviderKey(hub, row) ?? "";
  return key.length > HINT_CHARS ? key.slice(-HINT_CHARS) : "";
}
