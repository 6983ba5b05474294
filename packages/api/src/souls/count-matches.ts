import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/entities.ts";
import type { Shelf } from "./first-in-order.ts";
import { costs, type Gathering, SAMPLE, SPARE } from "./search-costs.ts";
import type { Condition } from "./search-tiers.ts";

interface Counted {
  any: Gathering;
  /** Some of them, which the index finds sooner; and how many, about. */
  exact: { matches: Condition; about: number };
  /** The planner knows only the common ones of the words that an unfinished one may become. */
  isTooLow: boolean;
  /** No further than this. */
  upTo: number;
}

/** What takes so many times less than the whole is tried on the off-chance. */
const CHEAP = 5;
/** For each match of all words the index passes several of one, in µs. */
const EXACT = 4 * costs.gather;

/**
 * Counts, and believes no estimate: words that are common by themselves may hardly ever meet. Where
 * there are many, enough of them are soon found among a part of the souls, or a part of the matches;
 * the parts are tried as long as that takes less time than the whole, the cheapest first.
 */
export async function countMatches(
  db: Db,
  { role, souls, publicSouls }: Shelf,
  { any, exact, isTooLow, upTo }: Counted,
): Promise<number> {
  const end = sql`limit ${sql.lit(upTo)}`;
  const share = souls / Math.max(publicSouls, 1);
  const enough = upTo * SPARE;
  const about = any.about * share;
  // Of a role: the rows that are also in the role's index, or of those as they come more.
  const byRole = souls * costs.gather + upTo * costs.visit;
  const byRow = (upTo * costs.visit) / Math.max(share, Number.EPSILON);
  const isOfRole: Condition = sql`souls.role = ${role}`;
  const shelfBy = (condition: Condition): Condition =>
    role ? sql`souls.is_public = 1 and ${condition}` : sql`souls.is_public = 1`;
  const onShelf = shelfBy(byRole < byRow ? isOfRole : sql`(${isOfRole}) is true`);

  // As they lie, which is a quarter of the time of reading here and there.
  const look = Math.ceil((enough * souls) / Math.max(about, 1));
  const asTheyLie = sql`select from (
    select * from souls where ${shelfBy(isOfRole)} limit ${sql.lit(look)}) as souls where ${any.matches} ${end}`;
  // Materialized, it is planned without the limit, for which the planner would read all souls in the
  // belief that it soon has enough; and it is read no further than the limit.
  const gathered = (matches: Condition) => sql`select from (
    with matching as materialized (select 1 from souls where ${onShelf} and ${matches})
    select from matching ${end}) as matching`;
  const rows = Math.min(byRole, byRow);
  const inSample: Condition = sql`souls.id % ${sql.lit(SAMPLE)} = 0`;
  const exactTakes = exact.about * EXACT;
  const parts = [
    { part: asTheyLie, takes: look * (role ? costs.visit : costs.row), holds: about },
    {
      part: gathered(sql`${inSample} and ${any.matches}`),
      takes: any.takes / SAMPLE + rows,
      holds: about / SAMPLE,
    },
    {
      part: gathered(sql`${inSample} and ${exact.matches}`),
      takes: exactTakes / SAMPLE + rows,
      holds: (exact.about * share) / SAMPLE,
    },
    { part: gathered(exact.matches), takes: exactTakes + rows, holds: exact.about * share },
  ];
  const whole = {
    part: gathered(any.matches),
    takes: any.takes + rows * Math.max(1, any.reads / Math.max(any.about, 1)),
  };
  const promising = parts.filter(
    ({ holds, takes }) =>
      (holds >= enough && takes < whole.takes) || (isTooLow && takes * CHEAP < whole.takes),
  );
  for (const { part } of promising.sort((a, b) => a.takes - b.takes)) {
    if ((await count(db, part)) === upTo) return upTo;
  }
  return count(db, whole.part);
}

async function count(db: Db, matching: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from (${matching}) as counted`.execute(db);
  return rows[0]?.total ?? 0;
}
