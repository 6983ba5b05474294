import { createHmac, randomBytes } from "node:crypto";
import type { Db } from "../../db/database.ts";
import type { Vault } from "../../vault.ts";

export const NAME_KEY_PURPOSE = "deleted-names";
const KEY_ID = 1;

/**
 * Reports whether an account with this name was deleted (0063).
 * @param nameKey the name in lower case
 */
export async function isDeletedName(vault: Vault, db: Db, nameKey: string): Promise<boolean> {
  const key = await readKey(vault, db);
  if (key === null) return false;
  const deleted = await db
    .selectFrom("deleted_accounts")
    .select("account_id")
    .where("name_hash", "=", hashName(key, nameKey))
    .executeTakeFirst();
  return deleted !== undefined;
}

/**
 * Returns the hash of the name of an account that is deleted now. The key is random and not derived
 * from a master key, since the names must stay taken when the master keys change.
 */
export async function hashDeletedName(vault: Vault, tx: Db, nameKey: string): Promise<string> {
  const fresh = randomBytes(32).toString("base64");
  const key_sealed = vault.seal(NAME_KEY_PURPOSE, String(KEY_ID), fresh);
  await tx
    .insertInto("deleted_name_keys")
    .values({ id: KEY_ID, key_sealed })
    .onConflict((known) => known.doNothing())
    .execute();
  const known = await readKey(vault, tx);
  if (known === null) await tx.updateTable("deleted_name_keys").set({ key_sealed }).execute();
  return hashName(known ?? fresh, nameKey);
}

/**
 * Returns null before the first deletion, and if the key cannot be decrypted: its master key was
 * lost. Names deleted until then are free again. Otherwise every registration would fail.
 */
async function readKey(vault: Vault, db: Db): Promise<string | null> {
  const row = await db.selectFrom("deleted_name_keys").select("key_sealed").executeTakeFirst();
  if (!row) return null;
  try {
    return vault.open(NAME_KEY_PURPOSE, String(KEY_ID), row.key_sealed);
  } catch {
    return null;
  }
}

const hashName = (key: string, nameKey: string): string =>
  createHmac("sha256", Buffer.from(key, "base64")).update(nameKey).digest("base64url");
