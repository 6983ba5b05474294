import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../accounts/account.entity.ts";
import { Soul } from "../souls/soul.entity.ts";

/** One rating per account and soul; the newer one counts (specification §4.5, POST /api/rate). */
export const Rating = defineEntity({
  name: "Rating",
  tableName: "ratings",
  properties: {
    soul: () => p.manyToOne(Soul).primary().deleteRule("cascade").updateRule("no action"),
    user: () =>
      p.manyToOne(Account).primary().index().deleteRule("cascade").updateRule("no action"),
    rating: p.smallint(),
    rated_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  checks: [{ name: "ratings_rating_check", expression: "rating >= 1 and rating <= 5" }],
});
