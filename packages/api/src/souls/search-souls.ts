import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "../db/entities.ts";
import { largestFirst, type SoulSort, soulOrders } from "./soul-orders.ts";

export interface SoulSearch {
  q: string;
  role: string;
  sort?: SoulSort | undefined;
  limit: number;
  offset: number;
}

// To read a soul's row costs 1.5 to 2 µs of a core, and a million rows have no end: every tier reads
// a few thousand at most. Measured with a million souls.

/** Up to so many, by the planner's estimate, all matches of a tier are read and put in order. */
const ALL_OF = 3_000;
/** Its estimate may be wrong: then it ends here, and the search still answers. */
const AT_MOST = 10_000;
/** Of more matches than that, so many are found: the first ones in the order asked for. */
const FIRST_OF_MANY = 500;
/** … by looking through so many souls in that order: finding where they end takes 0.07 µs each. */
const LOOK_THROUGH = { least: 1_000, most: 40_000 };
/** How many titles are searched for a text that no index knows: `%`, or two letters within a word. */
const UNINDEXED_LOOK = 10_000;

type Condition = RawBuilder<SqlBool>;

/** Some of the souls that the search is for. */
interface Part {
  /** 0 the exact title, 1 a title that begins so, 2 anything else. */
  tier: 0 | 1 | 2;
  matches: Condition;
  relevance: RawBuilder<number>;
  /** How many souls are looked through, in the order asked for; null: the matches' own index is asked. */
  among: number | null;
}

/**
 * Words in title, description, domain and role, the last one also unfinished (search as you type),
 * or the text anywhere in a title. Nothing in it is an operator (decisions §2, `q`). In each tier
 * the order asked for; without one, relevance and then popularity in the last, popularity in the others.
 *
 * One query for all of it reads every match to put it in order: half a million for a common word.
 * And left alone with a limit, the planner walks the order's index to its end for a rare one. So each tier is
 * asked in its own way: few matches by their own index, the first of many in the order's index.
 */
export async function searchSouls(db: Db, { q, role, sort, limit, offset }: SoulSearch) {
  const keys = soulOrders[sort ?? "popular"];
  const isRanked = sort === undefined;
  const visible: Condition = role
    ? sql`souls.is_public = 1 and souls.role = ${role}`
    : sql`souls.is_public = 1`;
  const parts = await partsOf(db, { q, visible, isRanked });
  const bounds = await Promise.all(parts.map(({ among }) => endOfLook(db, keys, among)));
  const found = parts.map(({ tier, matches, relevance, among }, at) => {
    const columns = sql.join([sql`${sql.lit(tier)}::int as tier`, sql`${relevance} as relevance`]);
    const named = sql.join(keys.map((key, nth) => sql`${key} as ${sql.ref(`key${nth}`)}`));
    const last = bounds[at];
    const within = last ? sql` and (${sql.join([...keys])}) >= (${sql.join(last)})` : sql``;
    const read =
      among === null
        ? sql`limit ${sql.lit(AT_MOST)}`
        : sql`order by ${largestFirst(keys)} limit ${sql.lit(FIRST_OF_MANY)}`;
    return sql`(select souls.id, ${columns}, ${named} from souls where ${visible} and ${matches}${within} ${read})`;
  });
  const order = sql.join([
    sql`tier`,
    sql`relevance desc`,
    largestFirst(keys.map((_, nth) => sql.ref(`key${nth}`))),
  ]);
  const { rows } = await sql<{ ids: number[]; total: number }>`
    with found as materialized (${sql.join(found, sql` union `)})
    select (select count(*) from found) as total,
      to_json(array(select id from found order by ${order} limit ${limit} offset ${offset})) as ids`.execute(
    db,
  );
  return rows[0] ?? { ids: [], total: 0 };
}

/** What to ask for, and in which way. */
async function partsOf(
  db: Db,
  { q, visible, isRanked }: { q: string; visible: Condition; isRanked: boolean },
): Promise<Part[]> {
  const text = q.trim().toLowerCase();
  const inLike = text.replace(/[\\%_]/g, "\\$&");
  // plainto_tsquery drops every operator; the prefix mark is put on what it made of the words.
  const words = sql`(nullif(plainto_tsquery('simple', ${text})::text, '') || ':*')::tsquery`;
  const isTitle: Condition = sql`lower(souls.title) = ${text}`;
  const beginsTitle: Condition = sql`lower(souls.title) like ${`${inLike}%`}`;
  const hasWords: Condition = sql`souls.search @@ ${words}`;
  const isInTitle: Condition = sql`lower(souls.title) like ${`%${inLike}%`}`;
  // The index of trigrams needs three letters in a row; without them it would be read as a whole.
  const isIndexed = /[\p{L}\p{N}]{3}/u.test(text);
  const elsewhere: Condition = isIndexed ? sql`(${hasWords} or ${isInTitle})` : hasWords;

  const [all, ...estimates] = await Promise.all(
    [sql<SqlBool>`souls.is_public = 1`, isTitle, beginsTitle, elsewhere].map((condition, at) =>
      estimate(db, at === 0 ? condition : sql`${visible} and ${condition}`),
    ),
  );
  const none = sql<number>`0::float4`;
  const relevance = isRanked ? sql<number>`coalesce(ts_rank(souls.search, ${words}), 0)` : none;
  const part = (tier: Part["tier"], matches: Condition): Part => ({
    tier,
    matches,
    relevance: tier === 2 ? relevance : none,
    among: lookThrough(estimates[tier] ?? 0, all ?? 0),
  });
  const parts = [
    part(0, isTitle),
    part(1, sql`${beginsTitle} and not ${isTitle}`),
    part(2, sql`${elsewhere} and not ${beginsTitle}`),
  ];
  if (isIndexed) return parts;
  const inside: Condition = sql`${isInTitle} and not ${beginsTitle}`;
  return [...parts, { tier: 2, matches: inside, relevance, among: UNINDEXED_LOOK }];
}

/** In so many souls there should be FIRST_OF_MANY that match, and some to spare. */
function lookThrough(matches: number, all: number): number | null {
  if (matches <= ALL_OF) return null;
  const enough = Math.ceil((1.3 * FIRST_OF_MANY * all) / matches);
  return Math.min(Math.max(enough, LOOK_THROUGH.least), LOOK_THROUGH.most);
}

/** How many souls the planner believes there are: from its statistics, in less than a millisecond. */
async function estimate(db: Db, condition: Condition): Promise<number> {
  const { rows } = await sql<{
    "QUERY PLAN": [{ Plan: { "Plan Rows": number } }];
  }>`explain (format json) select from souls where ${condition}`.execute(db);
  return rows[0]?.["QUERY PLAN"][0].Plan["Plan Rows"] ?? 0;
}

/** The last soul of a look through the first so many; none: there are fewer, or no end is wanted. */
async function endOfLook(
  db: Db,
  keys: readonly RawBuilder<unknown>[],
  among: number | null,
): Promise<unknown[] | undefined> {
  if (among === null) return undefined;
  const named = keys.map((key, nth) => sql`${key} as ${sql.ref(`key${nth}`)}`);
  const { rows } = await sql<Record<string, unknown>>`
    select ${sql.join(named)} from souls where souls.is_public = 1
    order by ${largestFirst(keys)} limit 1 offset ${sql.lit(among)}`.execute(db);
  return rows[0] && Object.values(rows[0]);
}
