import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { REACH } from "./search-limits.ts";
import type { SearchQuery, Tier } from "./search-query.ts";
import { type Keys, keysAsColumns, largestColumnsFirst, largestFirst } from "./soul-orders.ts";

export interface Search {
  db: Db;
  query: SearchQuery;
  keys: Keys;
}

/** The first rows of a sort order: a sample, from which the number of all matches is estimated. */
export interface Prefix {
  /** The requested number of rows. Fewer are read if the hub has fewer public souls. */
  length: number;
  /** True if the hub has fewer public souls than `length`, so that all of them were read. */
  isAll: boolean;
  /** The ids of the matches by tier number, in sort order and at most REACH per tier. */
  tiers: Map<number, number[]>;
  /** A number of matches in these rows times `scale` is the estimate for the whole hub. */
  scale: number;
  /** The expected number of matches among all souls. */
  expected: number;
  /** The expected number of souls that contain all words but the unfinished last one. */
  expectedFinished: number;
}

/**
 * Returns the tiers of matches that an index can find. A search with many matches uses only these.
 */
export const indexedTiers = ({ tiers }: SearchQuery) =>
  tiers.filter((tier): tier is Required<Tier> => tier.index !== undefined);

/** Returns an SQL expression for the number of a row's tier; null if the row does not match. */
export function tierNumber(query: SearchQuery, tiers: readonly Tier[]) {
  const cases = tiers.map(({ contains }, at) => sql`when ${contains} then ${sql.lit(at)}`);
  return sql`case when (${query.matches}) is not true then null ${sql.join(cases, sql` `)} end`;
}

/** Reads the first rows of a sort order by the index of that order. Every row costs the same. */
export async function readPrefix({ db, query, keys }: Search, length: number): Promise<Prefix> {
  const { rows } = await sql<{
    tier: number | null;
    ids: number[];
    read: number;
    finished: number;
  }>`
    with prefix as materialized (
      select id, ${keysAsColumns(keys)}, ${tierNumber(query, indexedTiers(query))} as tier,
        ${query.finished?.matches ?? sql`false`} as is_finished
      from (select * from souls where is_public = 1
        order by ${largestFirst(keys)} limit ${sql.lit(length)}) as souls)
    select tier, count(*) as read, count(*) filter (where is_finished) as finished,
      to_json((array_agg(id order by ${largestColumnsFirst(keys)})
        filter (where tier is not null))[:${sql.lit(REACH)}]) as ids
    from prefix group by tier`.execute(db);
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  const read = sum(rows.map((row) => row.read));
  const matching = rows.filter(({ tier }) => tier !== null);
  const isAll = read < length;
  const scale = isAll ? 1 : Math.max(1, query.souls / length);
  return {
    length,
    isAll,
    tiers: new Map(matching.map(({ tier, ids }) => [tier ?? 0, ids])),
    scale,
    expected: scale * sum(matching.map((row) => row.read)),
    expectedFinished: scale * sum(rows.map(({ finished }) => finished)),
  };
}
