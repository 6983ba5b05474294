import { sql } from "kysely";
import type { Db } from "../db/entities.ts";
import { type Countable, countMatches } from "./count-matches.ts";
import { type Estimates, estimateSouls } from "./estimate-souls.ts";
import { firstInOrder, type Shelf } from "./first-in-order.ts";
import { cheapestGathering, type Gathering } from "./gathering.ts";
import { type Condition, type SearchTiers, searchTiers, type Tier } from "./search-tiers.ts";
import { keysAsColumns, largestColumnsFirst, type SoulSort, soulOrders } from "./soul-orders.ts";
import { wordEndings } from "./word-endings.ts";

export interface SoulSearch {
  q: string;
  role: string;
  sort?: SoulSort | undefined;
  limit: number;
  offset: number;
}

/** So far the pages of a search go, and so far `total` counts (docs/decisions/0010-search.md). */
const REACH = 1_000;
/** The planner's estimate may be wrong: no more rows are read in the belief that they are few. */
const AT_MOST = 1_250;

interface Found {
  ids: number[];
  total: number;
}

interface Page {
  limit: number;
  offset: number;
}

interface Many extends Pick<SearchTiers, "tiers" | "any"> {
  /** How `any` is gathered. */
  gathering: Gathering;
  counted(): Promise<number>;
}

/** Few matches are all read and put in order; of many, the first ones, tier after tier. */
export async function searchSouls(db: Db, { q, role, sort, ...page }: SoulSearch): Promise<Found> {
  const endings = await wordEndings(db, q);
  const how = { isOrdered: sort !== undefined, endings };
  const { any, exact } = searchTiers(q, how);
  const { estimates, others } = await estimateSouls(db, any, [
    sql`true`,
    role ? sql`souls.role = ${role}` : sql`true`,
    exact?.known ?? sql`false`,
  ]);
  const [publicSouls = 0, souls = 0, exactly = 0] = others;
  const shelf = { role, keys: soulOrders[sort ?? "popular"], souls, publicSouls };
  const asked = searchTiers(q, { ...how, having: estimates.words });
  const gathering = cheapestGathering(asked.any, estimates, shelf);
  const many = { ...asked, gathering };
  if (gathering.about <= REACH) {
    const few = await rankAll(db, asked, gathering.matches, shelf, page);
    return few ?? firstOfMany(db, { ...many, counted: async () => REACH }, shelf, page);
  }
  const counting = (tier: Tier, known: Estimates): Countable => ({
    all: cheapestGathering(tier, known, shelf),
    sample: cheapestGathering(tier, known, shelf, "sample"),
  });
  const counted = () =>
    countMatches(db, shelf, {
      any: counting(asked.any, estimates),
      exact: asked.exact && counting(asked.exact, { about: exactly, words: estimates.words }),
      isTooLow: any.last !== undefined,
      upTo: REACH,
    });
  return firstOfMany(db, { ...many, counted }, shelf, page);
}

/** None: they are not few. */
async function rankAll(
  db: Db,
  { tiers, relevance }: SearchTiers,
  matches: Condition,
  { keys }: Shelf,
  { limit, offset }: Page,
): Promise<Found | undefined> {
  const cases = tiers.map((tier, at) => sql`when ${tier.matches} then ${sql.lit(at)}`);
  // Kept of each: what the tiers and the order look at.
  const { rows } = await sql<Found>`
    with matching as materialized (
      select souls.id, title_key, domain, description, search, ${keysAsColumns(keys)}
      from souls where souls.is_public = 1 and ${matches} limit ${sql.lit(AT_MOST)}),
    placed as (
      select souls.*, case ${sql.join(cases, sql` `)} end as tier, ${relevance} as relevance
      from matching as souls where (select count(*) from matching) < ${sql.lit(AT_MOST)})
    select (select count(*) from matching) as total, to_json(array(
      select id from placed
      order by tier, case when tier > 1 then relevance end desc, ${largestColumnsFirst(keys)}
      limit ${Math.max(0, Math.min(limit, REACH - offset))} offset ${offset})) as ids`.execute(db);
  const { ids, total } = rows[0] ?? { ids: [], total: 0 };
  return total < AT_MOST ? { ids, total: Math.min(total, REACH) } : undefined;
}

/** Relevance is where the words stand: to weigh them up, all would have to be read. */
async function firstOfMany(
  db: Db,
  { tiers, any, gathering: ofAny, counted }: Many,
  shelf: Shelf,
  { limit, offset }: Page,
): Promise<Found> {
  if (offset >= REACH) return { ids: [], total: await counted() };
  const count = Math.min(offset + limit, REACH);
  const ids: number[] = [];
  const better: Condition[] = [];
  for (const tier of tiers.filter(({ ofFew }) => !ofFew)) {
    const gathering =
      tier === any
        ? ofAny
        : cheapestGathering(tier, (await estimateSouls(db, tier)).estimates, shelf);
    const others = better.map((each) => sql` and (${each}) is not true`);
    const matches: Condition = sql`${gathering.matches}${sql.join(others, sql``)}`;
    const wanted = { ...gathering, matches, count: count - ids.length, upTo: REACH };
    const { ids: found, met, isAll } = await firstInOrder(db, shelf, wanted);
    // All of the better tiers, and those of this one that were met.
    const atLeast = ids.length + met;
    ids.push(...found);
    if (ids.length >= count) {
      const isTotal = atLeast >= REACH || (isAll && tier === tiers.at(-1));
      const total = isTotal ? Math.min(atLeast, REACH) : await counted();
      return { ids: ids.slice(offset), total };
    }
    better.push(tier.matches);
  }
  return { ids: ids.slice(offset), total: ids.length };
}
