import { sql } from "kysely";
import type { Db } from "../db/entities.ts";
import type { Condition, Tier } from "./search-tiers.ts";

/** How many public souls there are, in the planner's belief, … */
export interface Estimates {
  /** … in a tier; */
  about: number;
  /** … of which each of its conditions is true. */
  finished?: number | undefined;
  last?: number | undefined;
  words: number[];
}

/**
 * What the planner believes of a tier, and of other conditions: from its statistics, in one question,
 * a third of a millisecond for each condition.
 */
export async function estimateSouls(
  db: Db,
  { known, finished, last, words }: Tier,
  others: readonly Condition[] = [],
): Promise<{ estimates: Estimates; others: number[] }> {
  const questions = [known, finished, last, ...words, ...others]
    .filter((condition) => condition !== undefined)
    .map((condition) => sql`(select 1 from souls where souls.is_public = 1 and ${condition})`);
  const { rows } = await sql<{ "QUERY PLAN": [{ Plan: { Plans: { "Plan Rows": number }[] } }] }>`
    explain (format json) select ${sql.join(questions)}`.execute(db);
  const plans = (rows[0]?.["QUERY PLAN"][0].Plan.Plans ?? []).values();
  const next = () => plans.next().value?.["Plan Rows"] ?? 0;
  const estimates = {
    about: next(),
    finished: finished && next(),
    last: last && next(),
    words: words.map(next),
  };
  return { estimates, others: others.map(next) };
}
