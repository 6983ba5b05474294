import { sql } from "kysely";
import type { Estimates } from "./estimate-souls.ts";
import { costs } from "./search-costs.ts";
import { type Condition, saysRole, type Tier } from "./search-tiers.ts";

/** The souls that are searched: public ones, of one role or of all. */
export interface Searched {
  role: string;
  /** About how many they are, and about how many there are of all roles. */
  souls: number;
  publicSouls: number;
}

/** How a tier's matches are gathered from an index, and what that takes. */
export interface Gathering {
  /** Of the role, too. */
  matches: Condition;
  /** µs. */
  takes: number;
  /** How many rows are then read, about. */
  reads: number;
  /** How many of them match. */
  about: number;
}

/** About how many … */
interface Way {
  matches: Condition;
  /** … are put together of an unfinished word; */
  opens: number;
  /** … have the most seldom of several words; */
  meets: number;
  /** … an index gathers; */
  gathers: number;
  /** … are then read. */
  reads: number;
}

/**
 * Of the ways in which the matches of a tier can be gathered, and told by their role. The sample
 * (./search-costs.ts) has no index of roles.
 * @returns what all of them take, whether or not only the sample's are then gathered
 */
export function cheapestGathering(
  tier: Tier,
  estimates: Estimates,
  searched: Searched,
  from: "all" | "sample" = "all",
): Gathering {
  const { role, souls, publicSouls } = searched;
  const about = (estimates.about * souls) / Math.max(publicSouls, 1);
  const isNarrowed = from === "all" || !tier.isOfTitles;
  const ways = waysOf(tier, estimates).flatMap((way) => {
    if (!role) return [way];
    return isNarrowed
      ? [withRole(way, role), narrowed(way, tier, searched)]
      : [withRole(way, role)];
  });
  const gatherings = ways.map(({ matches, opens, meets, gathers, reads }): Gathering => {
    const takes = opens * costs.unfinished + meets * costs.meet + gathers * costs.gather;
    return { matches, takes, reads, about };
  });
  const costOf = ({ takes, reads }: Gathering) => takes + reads * costs.visit;
  return gatherings.reduce((best, each) => (costOf(each) < costOf(best) ? each : best));
}

/**
 * For an unfinished word the index gathers all that begin so, 200,000 for two letters. Where the
 * words before it lead to few, these are read instead.
 */
function waysOf(
  { matches, finished }: Tier,
  { about, finished: led = 0, last, words }: Estimates,
): Way[] {
  const meets = words.length > 0 ? Math.min(...words, last ?? Number.POSITIVE_INFINITY) : 0;
  const whole: Way = { matches, opens: last ?? 0, meets, gathers: about, reads: about };
  if (!finished) return [whole];
  const gathers = Math.max(led, about);
  return [
    whole,
    {
      matches: sql`(${finished} and (${matches}) is true)`,
      opens: 0,
      meets: words.length > 1 ? Math.min(...words) : 0,
      gathers,
      reads: gathers,
    },
  ];
}

/** Their rows tell. `is true`: no index is used for it. */
const withRole = (way: Way, role: string): Way => ({
  ...way,
  matches: sql`(${way.matches} and (souls.role = ${role}) is true)`,
});

/** An index tells: of words the same one, which has the role's name; else the role's own. */
function narrowed(way: Way, { isOfTitles }: Tier, { role, souls, publicSouls }: Searched): Way {
  const share = souls / Math.max(publicSouls, 1);
  const reads = way.reads * share;
  if (isOfTitles) {
    const matches: Condition = sql`(${way.matches} and souls.role = ${role})`;
    return { ...way, matches, gathers: way.gathers + souls, reads };
  }
  const matches: Condition = sql`(${way.matches} and ${saysRole(role)})`;
  const meets = Math.min(way.meets || way.gathers, souls);
  return withRole({ ...way, matches, meets, gathers: way.gathers * share, reads }, role);
}
