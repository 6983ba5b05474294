import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../caller/account.entity.ts";
import type { TableOf } from "../db/database.ts";
import { Soul } from "../souls/soul.entity.ts";

declare module "../db/database.ts" {
  interface Tables {
    likes: TableOf<typeof Like>;
    ratings: TableOf<typeof Rating>;
  }
}

/** The key of a like or rating. Both are deleted together with the soul or the account. */
const ofSoulAndUser = {
  soul: () => p.manyToOne(Soul).primary().deleteRule("cascade").updateRule("no action"),
  user: () => p.manyToOne(Account).primary().index().deleteRule("cascade").updateRule("no action"),
};

/** At most one like per account and soul (specification §4.5, POST /api/like). */
export const Like = defineEntity({
  name: "Like",
  tableName: "likes",
  properties: {
    ...ofSoulAndUser,
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
});

/** One rating per account and soul; a new one replaces it (specification §4.5, POST /api/rate). */
export const Rating = defineEntity({
  name: "Rating",
  tableName: "ratings",
  properties: {
    ...ofSoulAndUser,
    rating: p.smallint(),
    rated_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
  },
  checks: [{ name: "ratings_rating_check", expression: "rating >= 1 and rating <= 5" }],
});
