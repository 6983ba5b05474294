import { type SelectExpression, sql } from "kysely";
import { createDataLoader } from "../db/data-loader.ts";
import type { Db, Tables } from "../db/database.ts";
import { HubError } from "../errors.ts";
import type { CallerAccount } from "./caller.ts";
import type { Tier } from "./tier.schema.ts";

declare module "../context.ts" {
  interface Hub {
    accounts: AccountReads;
  }
}

/** The database clock decides whether a pass is active, because the clocks of servers differ. */
const passColumns = [
  "accounts.id",
  "accounts.username",
  "accounts.tier as granted_tier",
  sql<boolean>`coalesce(accounts.pass_expires_at > hub_now(), true)`.as("pass_active"),
] as const satisfies SelectExpression<Tables, "accounts">[];

interface PassRow {
  id: number;
  username: string;
  granted_tier: string;
  pass_active: boolean;
}

const toCallerAccount = (row: PassRow): CallerAccount => ({
  id: row.id,
  username: row.username,
  tier: row.pass_active ? (row.granted_tier as Tier) : "free",
  passExpired: !row.pass_active && row.granted_tier !== "free",
});

/**
 * Finds an account and its pass by username, regardless of case.
 * @returns `account` with the effective tier, `grantedTier`, and `expiresAt` or null
 * @throws HubError `user_not_found`
 */
export async function findPassHolder(db: Db, username: string) {
  const row = await db
    .selectFrom("accounts")
    .select([...passColumns, "accounts.pass_expires_at"])
    .where("username_key", "=", username.toLowerCase())
    // The hub's own account, the only one without a password, cannot hold a pass.
    .where("password_hash", "is not", null)
    .executeTakeFirst();
  if (!row) throw new HubError("user_not_found");
  const account = toCallerAccount(row);
  return { account, grantedTier: row.granted_tier as Tier, expiresAt: row.pass_expires_at };
}

/** Batched lookups of accounts. A lookup without a match resolves to undefined. */
export interface AccountReads {
  byApiKeyHash(hash: string): Promise<CallerAccount | undefined>;
  bySessionHash(hash: string): Promise<CallerAccount | undefined>;
  /**
   * Reads the account's wallet if the chain has confirmed it; undefined for an unconfirmed wallet
   * (decisions §4).
   */
  verifiedWallet(accountId: number): Promise<string | undefined>;
}

export function createAccountReads(db: Db): AccountReads {
  return {
    byApiKeyHash: createDataLoader(async (hashes: string[]) => {
      const rows = await db
        .selectFrom("accounts")
        .select([...passColumns, "accounts.api_key_hash as hash"])
        .where("accounts.api_key_hash", "=", sql<string>`any(${hashes}::text[])`)
        .execute();
      return new Map(rows.map((row) => [row.hash ?? "", toCallerAccount(row)]));
    }),
    bySessionHash: createDataLoader(async (hashes: string[]) => {
      const rows = await db
        .selectFrom("sessions")
        .innerJoin("accounts", "accounts.id", "sessions.account_id")
        .select([...passColumns, "sessions.token_hash as hash"])
        .where("sessions.token_hash", "=", sql<string>`any(${hashes}::text[])`)
        .where("sessions.expires_at", ">", sql<string>`hub_now()`)
        .execute();
      return new Map(rows.map((row) => [row.hash, toCallerAccount(row)]));
    }),
    verifiedWallet: createDataLoader(async (ids: number[]) => {
      const rows = await db
        .selectFrom("accounts")
        .select(["id", "wallet"])
        .where("id", "=", sql<number>`any(${ids}::bigint[])`)
        .where("wallet_verified", "=", true)
        .$narrowType<{ wallet: string }>()
        .execute();
      return new Map(rows.map((row) => [row.id, row.wallet]));
    }),
  };
}
