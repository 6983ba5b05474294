import { sql } from "kysely";
import type { Condition, Tier } from "./search-tiers.ts";

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
  /** … gather one of several words: those that have only one of them are passed. */
  meet: 1,
  /** … step to the next soul in the index of an order. */
  step: 0.1,
};

/** One soul in so many is in the sample's index (migration 0010). */
export const SAMPLE = 8;
/** Chance is uneven: what is looked through should hold so many times what is wanted. */
export const SPARE = 1.3;
/** Of more that have several words, those are passed faster that don't. */
const MANY_MEET = 5_000;

/** How a tier's matches are gathered from an index, and what that takes. */
export interface Gathering {
  matches: Condition;
  /** µs. */
  takes: number;
  /** How many rows are then read, of any role, about. */
  reads: number;
  /** How many of them match. */
  about: number;
}

/** What the planner believes of a tier: how many match, have the words before the last, and have the last. */
interface TierEstimates {
  about: number;
  finished?: number | undefined;
  last?: number | undefined;
}

/**
 * For an unfinished word the index gathers all that begin so, 200,000 for two letters. Where the
 * words before it lead to few, these are read instead.
 */
export function cheapestGathering(
  { matches, finished, isOfSeveral }: Pick<Tier, "matches" | "finished" | "isOfSeveral">,
  estimates: TierEstimates,
): Gathering {
  const { about, last = 0 } = estimates;
  const meet = isOfSeveral ? Math.min(about, MANY_MEET) * costs.meet : 0;
  const whole = {
    matches,
    takes: about * costs.gather + meet + last * costs.unfinished,
    reads: about,
    about,
  };
  if (!finished || estimates.finished === undefined) return whole;
  const reads = Math.max(estimates.finished, about);
  const led = {
    matches: sql`(${finished} and (${matches}) is true)` as Condition,
    takes: reads * costs.gather,
    reads,
    about,
  };
  const costOf = ({ takes, reads: rows }: Gathering) => takes + rows * costs.visit;
  return costOf(led) < costOf(whole) ? led : whole;
}
