import { sql } from "kysely";
import type { Estimates } from "./estimate-souls.ts";
import { type Condition, saysRole, type Tier } from "./search-tiers.ts";

/**
 * What it costs to …, in µs of a core, with a million souls (docs/decisions/0010-search.md). They
 * decide how long a search takes, never what it finds.
 */
export const costs = {
  /** … read a soul's row, wherever it lies. */
  visit: 2.5,
  /** … read it beside the one before. */
  row: 0.5,
  /** … gather one match of a finished word, or of letters, from an index. */
  gather: 0.1,
  /** … gather one of a word that is unfinished: those of all that begin so are put together first. */
  unfinished: 0.4,
  /** … look up in an index whether one that has the most seldom of several words has the others. */
  meet: 0.22,
  /** … step to the next soul in the index of an order. */
  step: 0.1,
};

/** One soul in so many is in the sample's index (migration 0010). */
export const SAMPLE = 8;
/** Chance is uneven: what is looked through should hold so many times what is wanted. */
export const SPARE = 1.3;

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

/** A way to gather them of all roles. */
interface Way {
  matches: Condition;
  /** So many are put together of an unfinished word. */
  opens: number;
  /** So many have the most seldom of several words. */
  meets: number;
  reads: number;
}

/**
 * For an unfinished word the index gathers all that begin so, 200,000 for two letters. Where the
 * words before it lead to few, these are read instead.
 */
export function cheapestGathering(
  { matches, finished, isOfTitles }: Tier,
  { about, finished: led = 0, last = 0, words }: Estimates,
  { role, souls, publicSouls }: Searched,
): Gathering {
  const share = souls / Math.max(publicSouls, 1);
  const meets = words.length > 0 ? Math.min(...words, last || Number.POSITIVE_INFINITY) : 0;
  const ways: Way[] = [{ matches, opens: last, meets, reads: about }];
  if (finished) {
    const reads = Math.max(led, about);
    const read: Condition = sql`(${finished} and (${matches}) is true)`;
    ways.push({ matches: read, opens: 0, meets: words.length > 1 ? Math.min(...words) : 0, reads });
  }
  const timeOf = ({ opens, meets, reads }: Way) =>
    opens * costs.unfinished + meets * costs.meet + reads * costs.gather;
  // `is true`: no index is used for it.
  const isOfRole = role ? sql` and (souls.role = ${role}) is true` : sql``;
  const gatherings = ways.map(
    (way): Gathering => ({
      matches: sql`(${way.matches}${isOfRole})`,
      takes: timeOf(way),
      reads: way.reads,
      about: about * share,
    }),
  );
  if (role) {
    gatherings.push(
      ...ways.map((way): Gathering => {
        const reads = way.reads * share;
        const met = { ...way, reads, meets: Math.min(way.meets || way.reads, souls) };
        const narrowed: Condition = isOfTitles
          ? sql`souls.role = ${role}`
          : sql`${saysRole(role)}${isOfRole}`;
        return {
          matches: sql`(${way.matches} and ${narrowed})`,
          takes: isOfTitles ? timeOf(way) + souls * costs.gather : timeOf(met),
          reads,
          about: about * share,
        };
      }),
    );
  }
  const costOf = ({ takes, reads }: Gathering) => takes + reads * costs.visit;
  return gatherings.reduce((best, each) => (costOf(each) < costOf(best) ? each : best));
}
