import { type SelectExpression, sql } from "kysely";
import type { CallerAccount, CallingKey } from "../caller/caller.ts";
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
    countNotices: CountNotices;
  }
}

const isPassOver = sql<boolean>`coalesce(accounts.pass_expires_at <= hub_now(), false)`;

/**
 * Counts what waits for an account: notices of the staff, and, for the staff, cases of others (0062).
 */
export type CountNotices = (
  account: CallerAccount,
) => Promise<{ unread_notices: number; open_cases?: number }>;

/**
 * The columns of a {@link CallerAccount}. The database clock decides whether a pass or a restriction
 * is active, because the clocks of servers differ.
 */
const callerColumns = [
  "accounts.id",
  "accounts.username",
  sql<Tier>`case when ${isPassOver} then 'free' else accounts.tier end`.as("tier"),
  sql<boolean>`${isPassOver} and accounts.tier <> 'free'`.as("passExpired"),
  sql<Role>`accounts.role`.as("role"),
  sql<boolean>`accounts.email_verified_at is not null`.as("emailVerified"),
  effectiveRestriction("suspension").as("suspension"),
  effectiveRestriction("silence").as("silence"),
] as const satisfies SelectExpression<Tables, "accounts">[];

/**
 * Finds an account and its pass by username, regardless of case.
 * @returns `account` with the effective tier, `grantedTier`, and `expiresAt` or null
 * @throws HubError `user_not_found`
 */
export async function findPassHolder(db: Db, username: string) {
  const { grantedTier, expiresAt, ...account } = await db
    .selectFrom("accounts")
    .select([...callerColumns, "accounts.pass_expires_at as expiresAt"])
    .select(sql<Tier>`accounts.tier`.as("grantedTier"))
    .where("username_key", "=", username.toLowerCase())
    // The hub's own accounts, which have no password, cannot hold a pass.
    .where("password_hash", "is not", null)
    .executeTakeFirstOrThrow(() => new HubError("user_not_found"));
  return { account, grantedTier, expiresAt };
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
      for (const { hash, use_is_old: _, ...account } of rows) found.set(hash ?? "", { account });
      const used = { accounts: rows.filter((row) => row.use_is_old).map(({ id }) => id) };
      // Main keys are found first, so that they cost no second query.
      const others = hashes.filter((hash) => !found.has(hash));
      const named = others.length > 0 ? await byNamedKey(others) : [];
      for (const { key_id, hash, scopes, use_is_old: _, ...account } of named) {
        found.set(hash, { account, named: { id: key_id, scopes: scopesOf(scopes) } });
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
      return new Map(rows.map(({ hash, use_is_old: _, ...account }) => [hash, account]));
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
