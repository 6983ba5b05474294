import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../accounts/account.entity.ts";
import { Soul } from "../souls/soul.entity.ts";

/** One like per account and soul (specification §4.5, POST /api/like). */
export const Like = defineEntity({
  name: "Like",
  tableName: "likes",
  properties: {
    soul: () => p.manyToOne(Soul).primary().deleteRule("cascade").updateRule("no action"),
    user: () =>
      p.manyToOne(Account).primary().index().deleteRule("cascade").updateRule("no action"),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
});
