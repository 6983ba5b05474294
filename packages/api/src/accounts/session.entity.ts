import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "./account.entity.ts";

/** A signed-in browser (decisions §3). Only the token's hash is kept. */
export const Session = defineEntity({
  name: "Session",
  tableName: "sessions",
  properties: {
    token_hash: p.text().primary(),
    account: () => p.manyToOne(Account).index().deleteRule("cascade"),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
    expires_at: p.string().columnType("timestamptz").index(),
  },
});
