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

// To read a soul's row costs 1.3 to 2 µs of a core, and a million rows have no end: every tier reads
// a few thousand at most. Measured with a million souls, as are the numbers below.

/** Up to so many, by the planner's estimate, all matches of a tier are read and put in order. */
const ALL_OF = 3_000;
/** Its estimate may be wrong: then it ends here, and the search still answers. */
const AT_MOST = 6_000;
/** Of more matches than that, so many are found: the first ones in the order asked for. */
const FIRST_OF_MANY = 300;
/** … among so many souls in that order, at most. */
const LOOK_THROUGH = 30_000;
/**
 * Up to so many are read one by one; of more, the matches' own index says which. Gathering matches
 * takes 0.05 µs each in the index of titles, 0.3 µs in that of words, and the planner believes in
 * much less: it would gather 300,000 of them rather than read 1,000 souls.
 */
const READ_THROUGH = { titles: 5_000, words: 24_000 };
/** But no more are read than that; of 24,000, they hold half of FIRST_OF_MANY. */
const READ_AT_MOST = 12_000;
/** How many titles are searched for a text that no index knows: `%`, or two letters within a word. */
const UNINDEXED_LOOK = 8_000;

/** Of Unicode: behind every text that begins with the same. */
const LAST_CHARACTER = "\u{10ffff}";

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
 * Words in title, description, domain and role, the last one also unfinished (search as you type);
 * a single one also anywhere in a title. Nothing in it is an operator (decisions §2, `q`). In each
 * tier the order asked for; without one, relevance and then popularity in the last, popularity in the others.
 *
 * One query for all of it reads every match to put it in order: half a million for a common word.
 * And left alone with a limit, the planner walks the order's index to its end for a rare one. So each
 * tier is asked in its own way: few matches by their own index, the first of many in the order's index.
 */
export async function searchSouls(db: Db, { q, role, sort, limit, offset }: SoulSearch) {
  const keys = soulOrders[sort ?? "popular"];
  const parts = await partsOf(db, { q, role, isRanked: sort === undefined });
  const found = await Promise.all(parts.map((part) => partQuery(db, part, keys)));
  const order = sql.join([
    sql`tier`,
    sql`relevance desc`,
    largestFirst(keys.map((_, nth) => keyName(nth))),
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
  { q, role, isRanked }: { q: string; role: string; isRanked: boolean },
): Promise<Part[]> {
  const text = q.trim().toLowerCase();
  const inLike = text.replace(/[\\%_]/g, "\\$&");
  // plainto_tsquery drops every operator; the prefix mark is put on what it made of the words.
  const words = sql`(nullif(plainto_tsquery('simple', ${text})::text, '') || ':*')::tsquery`;
  // Operators that the index of trigrams doesn't have: for `=` and `like 'a%'` the planner takes it,
  // and it finds 144,000 titles with these letters where 7,000 are equal.
  const isTitle: Condition = sql`(lower(souls.title) ~>=~ ${text} and lower(souls.title) ~<=~ ${text})`;
  const beginsTitle: Condition = sql`(lower(souls.title) ~>=~ ${text} and lower(souls.title) ~<=~ ${text + LAST_CHARACTER})`;
  const hasWords: Condition = sql`souls.search @@ ${words}`;
  const isInTitle: Condition = sql`lower(souls.title) like ${`%${inLike}%`}`;
  // The index of trigrams needs three letters in a row; without them it would be read as a whole.
  const isIndexed = /[\p{L}\p{N}]{3}/u.test(text);
  const isOneWord = !/\s/.test(text);
  const elsewhere: Condition =
    isIndexed && isOneWord ? sql`(${hasWords} or ${isInTitle})` : hasWords;
  // For an unfinished word the index gathers all that begin so, 200,000 matches, also beside a rare
  // word. The words before it may be enough to find few souls.
  const before = text.replace(/\S+$/, "");
  const hasWordsBefore: Condition = sql`souls.search @@ coalesce(nullif(plainto_tsquery('simple', ${before})::text, '')::tsquery, ${words})`;

  const ofRole: Condition = role ? sql`souls.role = ${role}` : sql`true`;
  const [all = 0, exact = 0, begun = 0, any = 0, leading = 0] = await Promise.all(
    [
      sql<SqlBool>`true`,
      sql<SqlBool>`${ofRole} and lower(souls.title) = ${text}`,
      sql<SqlBool>`${ofRole} and lower(souls.title) like ${`${inLike}%`}`,
      sql<SqlBool>`${ofRole} and ${elsewhere}`,
      ...(isOneWord ? [] : [sql<SqlBool>`${ofRole} and ${hasWordsBefore}`]),
    ].map((condition) => estimate(db, condition)),
  );
  const rest: Condition =
    !isOneWord && leading <= ALL_OF ? sql`${hasWordsBefore} and (${elsewhere}) is true` : elsewhere;
  // `is true`: no index is used for it. A role's would give 200,000 souls to find 1,000 titles.
  const filter: Condition = role ? sql`(${ofRole}) is true` : ofRole;
  const otherwise: Condition = sql`(${beginsTitle}) is not true`;
  const none = sql<number>`0::float4`;
  const relevance = isRanked ? sql<number>`coalesce(ts_rank(souls.search, ${words}), 0)` : none;
  const among = lookThrough(any, all);
  const parts: Part[] = [
    {
      tier: 0,
      matches: sql`${isTitle} and ${filter}`,
      relevance: none,
      among: lookThrough(exact, all),
    },
    {
      tier: 1,
      matches: sql`${beginsTitle} and (${isTitle}) is not true and ${filter}`,
      relevance: none,
      among: lookThrough(begun, all),
    },
    {
      tier: 2,
      matches: sql`${rest} and ${otherwise} and ${among === null ? ofRole : filter}`,
      relevance,
      among,
    },
  ];
  if (isIndexed) return parts;
  const inside: Condition = sql`${isInTitle} and ${otherwise} and ${filter}`;
  return [...parts, { tier: 2, matches: inside, relevance, among: UNINDEXED_LOOK }];
}

/** Among so many souls there should be FIRST_OF_MANY that match, and some to spare. */
function lookThrough(matches: number, all: number): number | null {
  if (matches <= ALL_OF) return null;
  return Math.min(Math.ceil((1.2 * FIRST_OF_MANY * all) / matches), LOOK_THROUGH);
}

type Keys = readonly RawBuilder<unknown>[];

async function partQuery(db: Db, { tier, matches, relevance, among }: Part, keys: Keys) {
  const columns = sql`souls.id, ${sql.lit(tier)}::int as tier, ${relevance} as relevance, ${named(keys)}`;
  if (among === null) {
    return sql`(select ${columns} from souls where souls.is_public = 1 and ${matches} limit ${sql.lit(AT_MOST)})`;
  }
  const first = sql`order by ${largestFirst(keys)} limit ${sql.lit(FIRST_OF_MANY)}`;
  if (among <= (tier === 2 ? READ_THROUGH.words : READ_THROUGH.titles)) {
    const looked = sql`(select * from souls where souls.is_public = 1
      order by ${largestFirst(keys)} limit ${sql.lit(Math.min(among, READ_AT_MOST))}) as souls`;
    return sql`(select ${columns} from ${looked} where ${matches} ${first})`;
  }
  const end = await endOfLook(db, keys, among);
  const within = end ? sql`and (${sql.join([...keys])}) >= (${sql.join(end)})` : sql``;
  return sql`(select ${columns} from souls where souls.is_public = 1 and ${matches} ${within} ${first})`;
}

const named = (keys: Keys) => sql.join(keys.map((key, nth) => sql`${key} as ${keyName(nth)}`));
const keyName = (nth: number) => sql.ref(`key${nth}`);

/** How many souls the planner believes there are: from its statistics, in less than a millisecond. */
async function estimate(db: Db, condition: Condition): Promise<number> {
  const { rows } = await sql<{
    "QUERY PLAN": [{ Plan: { "Plan Rows": number } }];
  }>`explain (format json) select from souls where souls.is_public = 1 and ${condition}`.execute(
    db,
  );
  return rows[0]?.["QUERY PLAN"][0].Plan["Plan Rows"] ?? 0;
}

/** The last one of the first so many souls; none: there are fewer. */
async function endOfLook(db: Db, keys: Keys, among: number): Promise<unknown[] | undefined> {
  const { rows } = await sql<Record<string, unknown>>`
    select ${named(keys)} from souls where souls.is_public = 1
    order by ${largestFirst(keys)} limit 1 offset ${sql.lit(among)}`.execute(db);
  return rows[0] && Object.values(rows[0]);
}
