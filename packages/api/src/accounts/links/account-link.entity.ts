import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../../caller/account.entity.ts";

/** A link that changes an account, once (0059). Its token is stored as a hash only. */
export const AccountLink = defineEntity({
  name: "account_links",
  properties: {
    /** Tells which of two links is older. */
    id: p.bigint("number").primary(),
    token_hash: p.text().unique(),
    account: () => p.manyToOne(Account).index().deleteRule("cascade"),
    /** A `LinkPurpose`. */
    purpose: p.text(),
    /** The address that the link verifies or sets; null for a link that concerns none. */
    email: p.text().nullable(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
    expires_at: p.string().columnType("timestamptz").index(),
  },
});
