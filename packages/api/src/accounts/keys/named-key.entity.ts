import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../../caller/account.entity.ts";

/**
 * A named API key (0050). The key itself is stored as a hash only, so it can't be shown again. A
 * revoked key has no row.
 */
export const NamedKey = defineEntity({
  name: "api_keys",
  properties: {
    id: p.bigint("number").primary(),
    account: () => p.manyToOne(Account).index().deleteRule("cascade"),
    name: p.text(),
    /** The first characters of the key, by which its owner recognises it. */
    prefix: p.text(),
    key_hash: p.text().unique(),
    /** The scopes, with a space between them. */
    scopes: p.text(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
    /** Exact to a minute; null before the first use. */
    last_used_at: p.string().columnType("timestamptz").nullable(),
    /** Null if the key never expires. */
    expires_at: p.string().columnType("timestamptz").nullable().index(),
  },
});
