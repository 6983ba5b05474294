import { defineEntity, p } from "@mikro-orm/core";

/** Specification §2, Account. Tier and expiry are what was granted; what counts is worked out per request. */
export const Account = defineEntity({
  name: "Account",
  tableName: "accounts",
  properties: {
    id: p.bigint("number").primary(),
    username: p.text(),
    /** Lower-case: usernames are unique without regard to case. */
    username_key: p.text().unique(),
    /** Null for the hub's own account, which nobody can log in to. */
    email: p.text().nullable(),
    password_hash: p.text().nullable(),
    api_key_hash: p.text().nullable().unique(),
    api_key_sealed: p.text().nullable(),
    tier: p.text().default("free"),
    pass_expires_at: p.string().columnType("timestamptz").nullable(),
    /** NEAR account name, bound for good (specification §2). */
    wallet: p.text().nullable().unique(),
    /** The key that bound it, `ed25519:<base58>`. */
    wallet_key: p.text().nullable(),
    /** The chain confirmed that key (decisions §4). */
    wallet_verified: p.boolean().default(false),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  checks: [
    { name: "accounts_tier_check", expression: "tier in ('free', 'vip', 'pro')" },
    {
      name: "accounts_wallet_check",
      expression:
        "(wallet is null) = (wallet_key is null) and not (wallet is null and wallet_verified)",
    },
  ],
});
