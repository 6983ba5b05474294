import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/entities.ts";
import type { Shelf } from "./first-in-order.ts";
import { costs, type Gathering } from "./search-costs.ts";
import type { Condition } from "./search-tiers.ts";

interface Counted {
  any: Gathering;
  /** Some of them, which the index finds sooner; and how many, about. */
  exact: { matches: Condition; about: number };
  /** No further than this. */
  upTo: number;
}

/** One soul in so many is in the sample's index (migration 0010). */
const SAMPLE = 8;
/** Chance is uneven: what is counted should hold so many times what it must. */
const SPARE = 1.3;
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
  { any, exact, upTo }: Counted,
): Promise<number> {
  const onShelf: Condition = role
    ? sql`souls.is_public = 1 and souls.role = ${role}`
    : sql`souls.is_public = 1`;
  const end = sql`limit ${sql.lit(upTo)}`;
  const share = souls / Math.max(publicSouls, 1);
  const enough = upTo * SPARE;
  const about = any.about * share;

  // As they lie, which is a quarter of the time of reading here and there.
  const look = Math.ceil((enough * souls) / Math.max(about, 1));
  const asTheyLie = sql`select from (
    select * from souls where ${onShelf} limit ${sql.lit(look)}) as souls where ${any.matches} ${end}`;
  // Materialized, it is planned without the limit, for which the planner would read all souls in the
  // belief that it soon has enough; and it is read no further than the limit.
  const gathered = (matches: Condition) => sql`select from (
    with matching as materialized (select 1 from souls where ${onShelf} and ${matches})
    select from matching ${end}) as matching`;
  // Of a role, what is gathered is first met with the role's own souls.
  const rows = upTo * costs.visit + (role ? souls * costs.gather : 0);
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
  const whole = { part: gathered(any.matches), takes: any.takes + rows };
  const promising = parts.filter(({ holds, takes }) => holds >= enough && takes < whole.takes);
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
