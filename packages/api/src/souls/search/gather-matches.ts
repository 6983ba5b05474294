import { sql } from "kysely";
import { indexedTiers, type Prefix, type Search, tierNumber } from "./read-prefix.ts";
import { FEW, GROWTH, MAX_GATHERED } from "./search-limits.ts";
import type { Condition, SearchQuery, Tier } from "./search-query.ts";
import { keysAsColumns, largestColumnsFirst } from "./soul-orders.ts";

export interface SearchPage {
  ids: number[];
  has_more: boolean;
  /** The exact number of matches. Undefined if not all matches were read. */
  total?: number;
}

/**
 * Returns the cheapest index condition of a search. For an unfinished last word, an index reads all
 * words that begin with it: hundreds of thousands for one letter. If the finished words select few
 * souls, only those words are read from the index.
 */
export function cheapestIndex(
  { finished, index: all }: SearchQuery,
  sample: Prefix,
  index: Condition = all,
): Condition {
  const few = Math.max(FEW, GROWTH * sample.expected);
  return finished && sample.expectedFinished <= few ? finished.index : index;
}

/**
 * Returns SQL that reads at most `max + 1` rows from an index. The first CTE has no limit, so that
 * the planner uses the index.
 */
const gathered = ({ query, keys }: Search, index: Condition, tiers: readonly Tier[], max: number) =>
  sql`selected as materialized (
      select id, ${keysAsColumns(keys)}, ${tierNumber(query, tiers)} as tier,
        ${query.relevance} as relevance
      from souls where is_public = 1 and ${index}),
    gathered as materialized (select * from selected limit ${sql.lit(max + 1)})`;

/**
 * Reads, ranks and counts all matches of a search.
 * @returns undefined if the index selects too many souls
 */
export async function rankAll(
  search: Search,
  sample: Prefix,
  { limit, offset }: { limit: number; offset: number },
): Promise<SearchPage | undefined> {
  const { db, query, keys } = search;
  const ranked = query.tiers.flatMap(({ isRanked }, at) => (isRanked ? [sql.lit(at)] : []));
  const relevance = ranked.length > 0 ? sql`tier in (${sql.join(ranked)})` : sql`false`;
  const index = cheapestIndex(query, sample);
  const { rows } = await sql<{ read: number; total: number; ids: number[] }>`
    with ${gathered(search, index, query.tiers, MAX_GATHERED)}
    select (select count(*) from gathered) as read, (select count(tier) from gathered) as total,
      to_json(array(select id from gathered where tier is not null
        order by tier, case when ${relevance} then relevance end desc, ${largestColumnsFirst(keys)}
        limit ${limit} offset ${offset})) as ids`.execute(db);
  const { read, total, ids } = rows[0] ?? { read: 0, total: 0, ids: [] };
  return read > MAX_GATHERED ? undefined : { ids, total, has_more: offset + ids.length < total };
}

/**
 * Reads the first `count` ids of one tier of matches.
 * @param at the position of the tier in {@link indexedTiers}
 * @returns undefined if the index selects more than `max` souls
 */
export async function gatherTier(
  search: Search,
  at: number,
  { index, count, max }: { index: Condition; count: number; max: number },
): Promise<number[] | undefined> {
  const { rows } = await sql<{ read: number; ids: number[] }>`
    with ${gathered(search, index, indexedTiers(search.query), max)}
    select (select count(*) from gathered) as read, to_json(array(
      select id from gathered where tier = ${sql.lit(at)}
      order by ${largestColumnsFirst(search.keys)} limit ${sql.lit(count)})) as ids`.execute(
    search.db,
  );
  const { read, ids } = rows[0] ?? { read: 0, ids: [] };
  return read > max ? undefined : ids;
}
