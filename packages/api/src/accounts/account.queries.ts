import { type SelectExpression, sql } from "kysely";
import type { CallerAccount, CallingKey } from "../caller/caller.ts";
import type { Restriction } from "../caller/restriction.schema.ts";
import type { Role } from "../caller/role.schema.ts";
import type { Tier } from "../caller/tier.schema.ts";
import { createDataLoader } from "../db/data-loader.ts";
import type { Db, Tables } from "../db/database.ts";
import { arrayOf, prepareQuery } from "../db/prepared-query.ts";
import { HubError } from "../errors.ts";
import { isUseOld, liveNamedKeys, scopesOf } from "./keys/named-keys.queries.ts";
import { isSessionUseOld } from "./session.service.ts";
import { effectiveRestriction } from "./standing/standing.queries.ts";

declare module "../context.ts" {
  interface Hub {
    accounts: AccountReads;
  }
}

/**
 * The database clock decides whether a pass or a restriction is active, because the clocks of
 * servers differ.
 */
const callerColumns = [
  "accounts.id",
  "accounts.username",
  "accounts.tier as granted_tier",
  sql<boolean>`coalesce(accounts.pass_expires_at > hub_now(), true)`.as("pass_active"),
  "accounts.role",
  sql<boolean>`accounts.email_verified_at is not null`.as("email_verified"),
  effectiveRestriction("suspension").as("suspension"),
  effectiveRestriction("silence").as("silence"),
] as const satisfies SelectExpression<Tables, "accounts">[];

interface CallerRow {
  id: number;
  username: string;
  granted_tier: string;
  pass_active: boolean;
  role: string;
  email_verified: boolean;
  suspension: Restriction | null;
  silence: Restriction | null;
}

const toCallerAccount = (row: CallerRow): CallerAccount => ({
  id: row.id,
  username: row.username,
  tier: row.pass_active ? (row.granted_tier as Tier) : "free",
  passExpired: !row.pass_active && row.granted_tier !== "free",
  role: row.role as Role,
  emailVerified: row.email_verified,
  suspension: row.suspension,
  silence: row.silence,
});

/**
 * Finds an account and its pass by username, regardless of case.
 * @returns `account` with the effective tier, `grantedTier`, and `expiresAt` or null
 * @throws HubError `user_not_found`
 */
export async function findPassHolder(db: Db, username: string) {
  const row = await db
    .selectFrom("accounts")
    .select([...callerColumns, "accounts.pass_expires_at"])
    .where("username_key", "=", username.toLowerCase())
    // The hub's own accounts, which have no password, cannot hold a pass.
    .where("password_hash", "is not", null)
    .executeTakeFirstOrThrow(() => new HubError("user_not_found"));
  const account = toCallerAccount(row);
  return { account, grantedTier: row.granted_tier as Tier, expiresAt: row.pass_expires_at };
}

/** The account of an API key, and the named key itself. */
export interface KeyHolder {
  account: CallerAccount;
  named?: CallingKey;
}

/**
 * The credentials whose use is to be noted: accounts for their main keys, ids of named keys, and
 * hashes of session tokens.
 */
export interface UsedCredentials {
  accounts: number[];
  named: number[];
  sessions: string[];
}

/** Batched lookups of accounts. A lookup without a match resolves to undefined. */
export interface AccountReads {
  /** Finds a main key, or a named key that has not expired. */
  byApiKeyHash(hash: string): Promise<KeyHolder | undefined>;
  bySessionHash(hash: string): Promise<CallerAccount | undefined>;
  /**
   * Reads the account's wallet if the chain has confirmed it; undefined for an unconfirmed wallet
   * (decisions §4).
   */
  verifiedWallet(accountId: number): Promise<string | undefined>;
}

/** @param noteUse is told of credentials whose last use is to be noted */
export function createAccountReads(db: Db, noteUse: (used: UsedCredentials) => void): AccountReads {
  const byMainKey = prepareQuery(db, (hashes: string[]) =>
    db
      .selectFrom("accounts")
      .select([...callerColumns, "accounts.api_key_hash as hash"])
      .select(isUseOld("accounts.api_key_used_at").as("use_is_old"))
      .where("accounts.api_key_hash", "=", sql<string>`any(${arrayOf(hashes, "text")})`)
      .where("accounts.deletes_at", "is", null),
  );
  const byNamedKey = prepareQuery(db, (hashes: string[]) =>
    liveNamedKeys(db, hashes).select(callerColumns),
  );
  const bySession = prepareQuery(db, (hashes: string[]) =>
    db
      .selectFrom("sessions")
      .innerJoin("accounts", "accounts.id", "sessions.account_id")
      .select([...callerColumns, "sessions.token_hash as hash"])
      .select(isSessionUseOld.as("use_is_old"))
      .where("sessions.token_hash", "=", sql<string>`any(${arrayOf(hashes, "text")})`)
      .where("sessions.expires_at", ">", sql<string>`hub_now()`)
      .where("accounts.deletes_at", "is", null),
  );
  return {
    byApiKeyHash: createDataLoader(async (hashes: string[]) => {
      const rows = await byMainKey(hashes);
      const found = new Map<string, KeyHolder>();
      for (const row of rows) found.set(row.hash ?? "", { account: toCallerAccount(row) });
      const used = { accounts: rows.filter((row) => row.use_is_old).map(({ id }) => id) };
      // Main keys are found first, so that they cost no second query.
      const others = hashes.filter((hash) => !found.has(hash));
      const named = others.length > 0 ? await byNamedKey(others) : [];
      for (const { key_id, hash, scopes, ...row } of named) {
        found.set(hash, {
          account: toCallerAccount(row),
          named: { id: key_id, scopes: scopesOf(scopes) },
        });
      }
      const usedNamed = named.filter((row) => row.use_is_old).map(({ key_id }) => key_id);
      if (used.accounts.length + usedNamed.length > 0)
        noteUse({ ...used, named: usedNamed, sessions: [] });
      return found;
    }),
    bySessionHash: createDataLoader(async (hashes: string[]) => {
      const rows = await bySession(hashes);
      const sessions = rows.filter((row) => row.use_is_old).map(({ hash }) => hash);
      if (sessions.length > 0) noteUse({ accounts: [], named: [], sessions });
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
