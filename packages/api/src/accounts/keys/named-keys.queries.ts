import { sql } from "kysely";
import type { KeyScope } from "../../caller/key-scopes.schema.ts";
import type { Db } from "../../db/database.ts";
import { arrayOf } from "../../db/prepared-query.ts";

/** Seconds within which a further use of a key is not noted. */
const USE_IS_EXACT_TO_S = 60;

/** SQL: whether the noted use in a column is missing or more than a minute old. */
export const isUseOld = (column: string) =>
  sql<boolean>`coalesce(${sql.ref(column)} < hub_now() - make_interval(secs => ${USE_IS_EXACT_TO_S}::int), true)`;

/** SQL: whether a named key has not expired. */
export const isLive = sql<boolean>`coalesce(api_keys.expires_at > hub_now(), true)`;

export const scopesOf = (stored: string): ReadonlySet<KeyScope> =>
  new Set(stored.split(" ") as KeyScope[]);

/**
 * Selects the named keys with one of these hashes and their accounts, without expired keys. An
 * account that will be deleted has no keys meanwhile (0063).
 */
export const liveNamedKeys = (db: Db, hashes: string[]) =>
  db
    .selectFrom("api_keys")
    .innerJoin("accounts", "accounts.id", "api_keys.account_id")
    .select(["api_keys.id as key_id", "api_keys.key_hash as hash", "api_keys.scopes"])
    .select(isUseOld("api_keys.last_used_at").as("use_is_old"))
    .where("api_keys.key_hash", "=", sql<string>`any(${arrayOf(hashes, "text")})`)
    .where("accounts.deletes_at", "is", null)
    .where(isLive);

/** Notes that main keys, by their accounts, and named keys are in use. */
export async function noteKeyUse(
  db: Db,
  { accounts, named }: { accounts: number[]; named: number[] },
): Promise<void> {
  const now = sql<string>`hub_now()`;
  if (accounts.length > 0) {
    await db
      .updateTable("accounts")
      .set({ api_key_used_at: now })
      .where("id", "=", sql<number>`any(${accounts}::bigint[])`)
      .where(isUseOld("api_key_used_at"))
      .execute();
  }
  if (named.length > 0) {
    await db
      .updateTable("api_keys")
      .set({ last_used_at: now })
      .where("id", "=", sql<number>`any(${named}::bigint[])`)
      .where(isUseOld("last_used_at"))
      .execute();
  }
}
