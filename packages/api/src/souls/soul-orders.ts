import { type RawBuilder, sql } from "kysely";

/** The largest first. */
export type Keys = readonly RawBuilder<unknown>[];

export type SoulSort = "newest" | "popular" | "rating" | "forks" | "updated";

/**
 * What each order goes by, the largest first (decisions §2): `popular` is likes, then forks; ties
 * everywhere: the newer id first. Each has its index, to the letter (migrations 0001, 0005).
 */
export const soulOrders: Record<SoulSort, Keys> = {
  newest: [sql`souls.id`],
  popular: [sql`souls.like_count`, sql`souls.fork_count`, sql`souls.id`],
  rating: [
    sql`(souls.rating_sum::float8 / greatest(souls.rating_count, 1))`,
    sql`souls.rating_count`,
    sql`souls.id`,
  ],
  forks: [sql`souls.fork_count`, sql`souls.id`],
  updated: [sql`souls.updated_at`, sql`souls.id`],
};

export const largestFirst = (keys: Keys): RawBuilder<unknown> =>
  sql.join(keys.map((key) => sql`${key} desc`));

/** For a part of a query that is kept: only the keys, not the whole souls. */
export const keysAsColumns = (keys: Keys): RawBuilder<unknown> =>
  sql.join(keys.map((key, nth) => sql`${key} as ${keyColumn(nth)}`));

/** Of such a part. */
export const largestColumnsFirst = (keys: Keys): RawBuilder<unknown> =>
  largestFirst(keys.map((_, nth) => keyColumn(nth)));

const keyColumn = (nth: number) => sql.ref(`key${nth}`);
