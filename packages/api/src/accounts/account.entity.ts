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
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  checks: [{ name: "accounts_tier_check", expression: "tier in ('free', 'vip', 'pro')" }],
});
