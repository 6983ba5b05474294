import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../caller/account.entity.ts";
import { Soul } from "../souls/soul.entity.ts";

/** The key of a like or rating. Both are deleted together with the soul or the account. */
const ofSoulAndUser = {
  soul: () => p.manyToOne(Soul).primary().deleteRule("cascade").updateRule("no action"),
  user: () => p.manyToOne(Account).primary().index().deleteRule("cascade").updateRule("no action"),
};

/** At most one like per account and soul (specification §4.5, POST /api/like). */
export const Like = defineEntity({
  name: "likes",
  properties: {
    ...ofSoulAndUser,
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
});

/** One rating per account and soul; a new one replaces it (specification §4.5, POST /api/rate). */
export const Rating = defineEntity({
  name: "ratings",
  properties: {
    ...ofSoulAndUser,
    rating: p.smallint(),
    rated_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  checks: [{ name: "ratings_rating_check", expression: "rating >= 1 and rating <= 5" }],
});
