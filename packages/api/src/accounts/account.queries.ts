import { type SelectExpression, sql } from "kysely";
import { batchedRead } from "../db/batched-read.ts";
import type { Db, HubTables } from "../db/entities.ts";
import { HubError } from "../errors.ts";
import type { CallerAccount } from "./caller.ts";
import type { Tier } from "./tier.schema.ts";

/** Whether a pass runs is for the database clock to say: servers' clocks differ. */
const passColumns = [
  "accounts.id",
  "accounts.username",
  "accounts.tier as granted_tier",
  sql<boolean>`coalesce(accounts.pass_expires_at > hub_now(), true)`.as("pass_runs"),
] as const satisfies SelectExpression<HubTables, "accounts">[];

interface PassRow {
  id: number;
  username: string;
  granted_tier: string;
  pass_runs: boolean;
}

const toCallerAccount = (row: PassRow): CallerAccount => ({
  id: row.id,
  username: row.username,
  tier: row.pass_runs ? (row.granted_tier as Tier) : "free",
  passExpired: !row.pass_runs && row.granted_tier !== "free",
});

/**
 * An account by its name, case ignored, with the pass that was granted to it.
 * @throws HubError `user_not_found`
 */
export async function findPassHolder(db: Db, username: string) {
  const row = await db
    .selectFrom("accounts")
    .select([...passColumns, "accounts.pass_expires_at"])
    .where("username_key", "=", username.toLowerCase())
    // The hub's own account, which nobody signs in to, is no user.
    .where("password_hash", "is not", null)
    .executeTakeFirst();
  if (!row) throw new HubError("user_not_found");
  const account = toCallerAccount(row);
  return { account, grantedTier: row.granted_tier as Tier, expiresAt: row.pass_expires_at };
}

/** Looks accounts up, many at a time: by what a credential hashes to, and by id. */
export interface AccountReads {
  byApiKeyHash(hash: string): Promise<CallerAccount | undefined>;
  bySessionHash(hash: string): Promise<CallerAccount | undefined>;
  /** The wallet that the chain has confirmed; a pinned one is none (decisions §4). */
  verifiedWallet(accountId: number): Promise<string | undefined>;
}

export function createAccountReads(db: Db): AccountReads {
  return {
    byApiKeyHash: batchedRead(async (hashes: string[]) => {
      const rows = await db
        .selectFrom("accounts")
        .select([...passColumns, "accounts.api_key_hash as hash"])
        .where("accounts.api_key_hash", "=", sql<string>`any(${hashes}::text[])`)
        .execute();
      return new Map(rows.map((row) => [row.hash ?? "", toCallerAccount(row)]));
    }),
    bySessionHash: batchedRead(async (hashes: string[]) => {
      const rows = await db
        .selectFrom("sessions")
        .innerJoin("accounts", "accounts.id", "sessions.account_id")
        .select([...passColumns, "sessions.token_hash as hash"])
        .where("sessions.token_hash", "=", sql<string>`any(${hashes}::text[])`)
        .where("sessions.expires_at", ">", sql<string>`hub_now()`)
        .execute();
      return new Map(rows.map((row) => [row.hash, toCallerAccount(row)]));
    }),
    verifiedWallet: batchedRead(async (ids: number[]) => {
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
