import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/entities.ts";
import type { Condition } from "./search-tiers.ts";

/**
 * How many public souls the planner believes there are of each condition: from its statistics, in
 * one question, a third of a millisecond each.
 */
export async function estimateSouls<Name extends string>(
  db: Db,
  conditions: Record<Name, Condition | undefined>,
): Promise<Record<Name, number | undefined>> {
  const asked = (Object.entries(conditions) as [Name, Condition | undefined][]).filter(
    (entry): entry is [Name, Condition] => entry[1] !== undefined,
  );
  const questions: RawBuilder<unknown>[] = asked.map(
    ([, condition]) => sql`(select 1 from souls where souls.is_public = 1 and ${condition})`,
  );
  const { rows } = await sql<{ "QUERY PLAN": [{ Plan: { Plans: { "Plan Rows": number }[] } }] }>`
    explain (format json) select ${sql.join(questions)}`.execute(db);
  const plans = rows[0]?.["QUERY PLAN"][0].Plan.Plans ?? [];
  return Object.fromEntries(
    asked.map(([name], at) => [name, plans[at]?.["Plan Rows"] ?? 0]),
  ) as Record<Name, number | undefined>;
}
