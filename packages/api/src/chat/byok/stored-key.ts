import type { z } from "zod";
import type { Hub } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { RemoteProvider } from "../models/model-id.ts";
import type { shownKey } from "./byok.schema.ts";

export const PROVIDER_KEY_PURPOSE = "provider-key";

/** The additional data of an encrypted key (decisions §5, Envelope). */
export interface KeyOwner {
  account_id: number;
  provider: string;
}
const bindOf = ({ account_id, provider }: KeyOwner): string => `${account_id}/${provider}`;

export const sealProviderKey = ({ vault }: Hub, owner: KeyOwner, apiKey: string): string =>
  vault.seal(PROVIDER_KEY_PURPOSE, bindOf(owner), apiKey);

/** Decrypts a stored key. Returns null, and logs the error, if no master key decrypts it. */
export function openProviderKey(
  { vault, log }: Hub,
  row: KeyOwner & { api_key_sealed: string },
): string | null {
  try {
    return vault.open(PROVIDER_KEY_PURPOSE, bindOf(row), row.api_key_sealed);
  } catch (error) {
    const { account_id, provider } = row;
    log.error({ err: error, account_id, provider }, "a stored provider key cannot be decrypted");
    return null;
  }
}

export type StoredKey = Awaited<ReturnType<typeof readStoredKeys>>[number];

/** Reads the keys of an account, oldest first. */
export async function readStoredKeys(db: Db, accountId: number) {
  const rows = await db
    .selectFrom("provider_keys")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ ...row, provider: row.provider as RemoteProvider }));
}

const HINT_CHARS = 4;

/** The response form of a stored key. `hint` is empty if the key cannot be decrypted. */
export function showKey(hub: Hub, row: StoredKey): z.infer<typeof shownKey> {
  const { provider, text_model, vision_model, base_url, active, created_at } = row;
  const apiKey = openProviderKey(hub, row) ?? "";
  const hint = apiKey.length > HINT_CHARS ? apiKey.slice(-HINT_CHARS) : "";
  return { provider, hint, text_model, vision_model, base_url, active, created_at };
}
