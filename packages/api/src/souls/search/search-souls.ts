import type { Db } from "../../db/database.ts";
import { cheapestIndex, gatherTier, rankAll, type SearchPage } from "./gather-matches.ts";
import { indexedTiers, type Prefix, readPrefix, type Search } from "./read-prefix.ts";
import {
  FEW,
  GROWTH,
  MAX_GATHERED,
  MIN_SAMPLE,
  REACH,
  SAMPLE_FACTOR,
  SPARE,
} from "./search-limits.ts";
import { toSearchQuery } from "./search-query.ts";
import { type SoulSort, soulOrders } from "./soul-orders.ts";

export interface SoulSearch {
  q: string;
  role: string;
  sort?: SoulSort | undefined;
  limit: number;
  offset: number;
}

/**
 * Searches public souls (decisions §2, `q`; 0010). The first rows of the sort order are a sample,
 * from which the number of matches is estimated. Few matches are all read from the indexes and
 * ranked. Of many matches, each tier is read from the order or its index, whichever reads fewer
 * rows.
 */
export async function searchSouls(
  db: Db,
  { q, role, sort, limit, offset }: SoulSearch,
): Promise<SearchPage> {
  const query = await toSearchQuery(db, { q, role, isRanked: sort === undefined });
  if (!query) return { ids: [], has_more: false, total: 0 };
  const keys = soulOrders[sort ?? "popular"];
  const search = { db, query, keys };
  const sampleSize = Math.max(MIN_SAMPLE, Math.ceil(Math.sqrt(SAMPLE_FACTOR * query.souls)));
  const sample = await readPrefix(search, sampleSize);

  if (sample.expected <= FEW) {
    const few = await rankAll(search, sample, { limit, offset });
    if (few) return few;
  }
  const ids = await firstOfMany(search, sample, Math.min(offset + limit + 1, REACH));
  return { ids: ids.slice(offset, offset + limit), has_more: ids.length > offset + limit };
}

/**
 * Returns the first ids of many matches, at most `count`. Each tier is complete before the next one
 * is used, so pages have no gaps. Tiers are not ranked here, since ranking needs every match.
 */
async function firstOfMany(search: Search, sample: Prefix, count: number): Promise<number[]> {
  const tiers = indexedTiers(search.query);
  const complete: number[][] = [];
  let prefix = sample;
  for (;;) {
    let need = count;
    let longer = 0;
    for (const [at, tier] of tiers.entries()) {
      const inPrefix = prefix.tiers.get(at) ?? [];
      if (prefix.isAll || inPrefix.length >= need) complete[at] ??= inPrefix;
      if (!complete[at]) {
        const met = Math.max(1, inPrefix.length);
        const expected = met * prefix.scale;
        longer = Math.ceil((SPARE * need * prefix.length) / met);
        // Reading few rows in sort order costs less than intersecting the index lists of several
        // words. The index is therefore used only where many rows would be read.
        if (longer > GROWTH * sample.length && expected <= longer) {
          const isLast = at === tiers.length - 1;
          const found = await gatherTier(search, at, {
            index: isLast ? cheapestIndex(search.query, prefix, tier.index) : tier.index,
            count,
            max: Math.ceil(
              Math.max(MAX_GATHERED * (prefix.length / sample.length), GROWTH * expected),
            ),
          });
          if (found) complete[at] = found;
          else longer = GROWTH * prefix.length;
        }
      }
      const found = complete[at];
      if (!found) break;
      need -= found.length;
      if (need <= 0) break;
    }
    if (need <= 0 || complete.length === tiers.length) return complete.flat().slice(0, count);
    prefix = await readPrefix(search, longer);
  }
}
