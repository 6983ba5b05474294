import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/entities.ts";
import type { Shelf } from "./first-in-order.ts";
import type { Gathering } from "./gathering.ts";
import { costs, SAMPLE, SPARE } from "./search-costs.ts";
import type { Condition } from "./search-tiers.ts";

/** How the matches of a tier are gathered from all souls, and from the sample. */
export interface Countable {
  all: Gathering;
  sample: Gathering;
}

interface Counted {
  any: Countable;
  /** Some of them, which the index finds sooner. */
  exact: Countable | undefined;
  /** The planner knows only the common ones of the words that an unfinished one may become. */
  isTooLow: boolean;
  /** No further than this. */
  upTo: number;
}

/** What takes so many times less than the whole is tried on the off-chance. */
const CHEAP = 5;

/**
 * Counts, and believes no estimate: words that are common by themselves may hardly ever meet. Where
 * there are many, enough of them are soon found among a part of the souls, or a part of the matches;
 * the parts that may hold enough, and take no longer than the whole, are tried, the cheapest first.
 */
export async function countMatches(
  db: Db,
  { role, souls }: Shelf,
  { any, exact, isTooLow, upTo }: Counted,
): Promise<number> {
  const end = sql`limit ${sql.lit(upTo)}`;
  const enough = upTo * SPARE;
  // As they lie, which is a quarter of the time of reading here and there.
  const look = Math.ceil((enough * souls) / Math.max(any.all.about, 1));
  const ofRole = role ? sql`and souls.role = ${role}` : sql``;
  const asTheyLie = sql`select from (
    select * from souls where souls.is_public = 1 ${ofRole} limit ${sql.lit(look)}) as souls
    where ${any.all.matches} ${end}`;
  // Materialized, it is planned without the limit, for which the planner would read all souls in the
  // belief that it soon has enough; and it is read no further than the limit.
  const gathered = (matches: Condition) => sql`select from (
    with matching as materialized (select 1 from souls where souls.is_public = 1 and ${matches})
    select from matching ${end}) as matching`;
  const inSample: Condition = sql`souls.id % ${sql.lit(SAMPLE)} = 0`;
  // So many are read for those that are wanted.
  const rows = ({ reads, about }: Gathering) =>
    upTo * costs.visit * Math.max(1, reads / Math.max(about, 1));
  const parts = [
    {
      part: asTheyLie,
      takes: look * (role ? costs.visit : costs.row),
      holds: any.all.about,
      needs: enough,
    },
    ...(exact ? [any, exact] : [any]).map(({ sample }) => ({
      part: gathered(sql`${inSample} and ${sample.matches}`),
      takes: sample.takes / SAMPLE + rows(sample),
      holds: sample.about / SAMPLE,
      // Of common words the planner believes too little, and to try takes an eighth of the whole.
      needs: upTo / SPARE,
    })),
    // How many there are is believed, but which of them are met is not left to chance.
    ...(exact ? [exact] : []).map(({ all }) => ({
      part: gathered(all.matches),
      takes: all.takes + rows(all),
      holds: all.about,
      needs: upTo,
    })),
  ];
  const whole = { part: gathered(any.all.matches), takes: any.all.takes + rows(any.all) };
  const promising = parts.filter(
    ({ holds, needs, takes }) =>
      (holds >= needs && takes <= whole.takes) || (isTooLow && takes * CHEAP < whole.takes),
  );
  let truth: number | undefined;
  for (const { part, holds } of promising.sort((a, b) => a.takes - b.takes)) {
    // Where one part held less than was believed, so do the others.
    if (!isTooLow && truth !== undefined && holds * truth < upTo) continue;
    const found = await count(db, part);
    if (found === upTo) return upTo;
    truth = found / Math.max(holds, 1);
  }
  return count(db, whole.part);
}

async function count(db: Db, matching: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from (${matching}) as counted`.execute(db);
  return rows[0]?.total ?? 0;
}
