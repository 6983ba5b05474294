import { type RawBuilder, sql } from "kysely";

/** The sort keys of an order of souls. Each key sorts in descending order. */
export type Keys = readonly RawBuilder<unknown>[];

export type SoulSort = "newest" | "popular" | "rating" | "forks" | "updated";

/**
 * The sort keys of each order of souls (decisions §2). Ties end with the newer id first. Each order
 * has an index with exactly these expressions, so that its first rows are read without sorting.
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

/** Returns SQL that selects the sort keys as columns of a CTE. */
export const keysAsColumns = (keys: Keys): RawBuilder<unknown> =>
  sql.join(keys.map((key, nth) => sql`${key} as ${keyColumn(nth)}`));

/** Returns SQL that orders by the columns of {@link keysAsColumns}. */
export const largestColumnsFirst = (keys: Keys): RawBuilder<unknown> =>
  largestFirst(keys.map((_, nth) => keyColumn(nth)));

const keyColumn = (nth: number) => sql.ref(`key${nth}`);
