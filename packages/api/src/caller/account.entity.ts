import { defineEntity, p } from "@mikro-orm/core";
import type { Restriction } from "./restriction.schema.ts";

/**
 * An account (specification §2, Account). `tier` and `pass_expires_at` store the pass as it was
 * granted. Each request computes the effective tier, because an expired pass counts as free.
 */
export const Account = defineEntity({
  name: "accounts",
  properties: {
    id: p.bigint("number").primary(),
    username: p.text(),
    /** The username in lower case: usernames are unique regardless of case. */
    username_key: p.text().unique(),
    /**
     * The email is null for the hub's own account, which has no login. Its password hash and API
     * key are null too.
     */
    email: p.text().nullable().index(),
    /** When a link proved that the address is the account's; null before (0059). */
    email_verified_at: p.string().columnType("timestamptz").nullable(),
    password_hash: p.text().nullable(),
    api_key_hash: p.text().nullable().unique(),
    api_key_sealed: p.text().nullable(),
    /** When the key was issued; null for a key of a release before 0050. */
    api_key_created_at: p.string().columnType("timestamptz").nullable(),
    /** When the key was last used, exact to a minute; null before the first use. */
    api_key_used_at: p.string().columnType("timestamptz").nullable(),
    tier: p.text().default("free"),
    pass_expires_at: p.string().columnType("timestamptz").nullable(),
    /** Name of the bound NEAR account. A binding is permanent (specification §2). */
    wallet: p.text().nullable().unique(),
    /** Public key of the signature that proved ownership of the wallet, `ed25519:<base58>`. */
    wallet_key: p.text().nullable(),
    /** True if the chain has confirmed `wallet_key` (decisions §4). */
    wallet_verified: p.boolean().default(false),
    /** `member`, `moderator` or `admin` (0057). */
    role: p.text().default("member"),
    /** Why the account may do nothing; null for an account in good standing (0057). */
    suspension: p.json<Restriction>().nullable(),
    /** Why the account may not write; null for an account in good standing (0057). */
    silence: p.json<Restriction>().nullable(),
    /** When the account will be deleted (0063); null unless its owner asked for it. */
    deletes_at: p.string().columnType("timestamptz").nullable(),
    /** The newest notice that the owner has seen (0062). */
    notices_seen_to: p.bigint("number").default(0),
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
