import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { type TextQueries, toTsqueries } from "./to-tsquery.ts";

export type Condition = RawBuilder<SqlBool>;

/** A group of matches. All matches of an earlier tier are listed before those of a later tier. */
export interface Tier {
  /** Tests whether a row belongs to the tier, if the row satisfies {@link SearchQuery.matches}. */
  contains: Condition;
  /**
   * Selects a superset of the tier by an index. A search with many matches skips tiers without one.
   */
  index?: Condition;
  /** True if the tier is ordered by `ts_rank` when all its rows are read. */
  isRanked: boolean;
}

/** The SQL of a search text (decisions §2, `q`), for the columns `title_key` and `search` (0010). */
export interface SearchQuery {
  /** The condition for a row to match the search text and the role. */
  matches: Condition;
  /** The tiers, best first. The last tier contains all matches that no other tier contains. */
  tiers: readonly Tier[];
  /** Selects a superset of all matches through the indexes. */
  index: Condition;
  /**
   * The same conditions for all words but the unfinished last one; undefined without such words.
   */
  finished?: { matches: Condition; index: Condition };
  relevance: RawBuilder<number>;
  /** An upper bound of the number of souls in the hub. */
  souls: number;
}

/** Appended to a text, this character sorts it behind all texts that begin with the text. */
const LAST_CHARACTER = "\u{10ffff}";
/** Matches a single word with the three letters that a trigram index needs. */
const ONE_WORD = /^\S*[\p{L}\p{N}]{3}\S*$/u;

const NEVER: Condition = sql`false`;
const searchHas = (tsquery: string): Condition => sql`souls.search @@ ${tsquery}::tsquery`;
/** Creates a tier whose condition an index can answer. */
const indexed = (condition: Condition) => ({ contains: condition, index: condition });

/**
 * Translates a search text and a role into SQL conditions.
 * @returns undefined if the text contains neither a word nor a sign
 */
export async function toSearchQuery(
  db: Db,
  { q, role, isRanked }: { q: string; role: string; isRanked: boolean },
): Promise<SearchQuery | undefined> {
  const text = q.trim();
  const queries = await toTsqueries(db, text, role);
  const { words, wordsInTitle, finishedWords, signs, souls } = queries;
  if (!words && !signs) return undefined;

  const like = sql`hub_normalize(${`%${text.replace(/[\\%_]/g, "\\$&")}%`})`;
  const hasWords = words ? searchHas(words) : NEVER;
  const verbatim = verbatimInTitle(text, queries, sql`souls.title_key like ${like}`);
  const indexFor = (lexemes: string | undefined): Condition => {
    if (signs) return searchHas(lexemes ? `${lexemes} | ${signs}` : signs);
    const byWords = lexemes ? searchHas(lexemes) : NEVER;
    return verbatim ? sql`(${byWords} or ${verbatim.index})` : byWords;
  };
  const index = indexFor(words);

  const elsewhere = sql`hub_normalize(souls.domain || ' ' || souls.description)`;
  const verbatimElsewhere = { contains: sql<SqlBool>`(${hasWords} and ${elsewhere} like ${like})` };
  const byWords = words && wordsInTitle ? [searchHas(wordsInTitle), hasWords].map(indexed) : [];
  const inTitle = verbatim ? [verbatim] : [];
  // With signs, the text itself counts most: `c++` means the title `C++` rather than the word `c`.
  // Without signs it counts least: `ppl` in `Apple` is the weakest match.
  const byRelevance = signs
    ? [...inTitle, verbatimElsewhere, ...byWords]
    : [...byWords, ...inTitle];
  const inOrder = [{ contains: sql<SqlBool>`true`, index }];
  return {
    matches: verbatim ? sql`(${hasWords} or ${verbatim.contains})` : hasWords,
    tiers: [
      ...byTitle(queries).map((tier) => ({ ...tier, isRanked: false })),
      ...(isRanked ? byRelevance : inOrder).map((tier) => ({ ...tier, isRanked })),
    ],
    index,
    ...(finishedWords && {
      finished: { matches: searchHas(finishedWords), index: indexFor(finishedWords) },
    }),
    relevance: sql`ts_rank(souls.search, ${words ?? ""}::tsquery)`,
    souls,
  };
}

/** Returns the tiers of the exact title and of titles that begin with the text. */
function byTitle({ title, role }: TextQueries) {
  return [title, title + LAST_CHARACTER].map((end) => {
    // `like` would use the trigram index, which reads every title that contains the text's letters.
    const contains: Condition = sql`(souls.title_key ~>=~ ${title} and souls.title_key ~<=~ ${end})`;
    return {
      contains,
      index: role ? sql<SqlBool>`(${contains} and ${searchHas(role)})` : contains,
    };
  });
}

/**
 * Returns the tier of titles that contain the text as it is written. Signs are found as lexemes,
 * letters by the trigram index.
 */
function verbatimInTitle(text: string, { signs, role }: TextQueries, titleHas: Condition) {
  if (signs) {
    return {
      contains: sql<SqlBool>`(${searchHas(signs)} and ${titleHas})`,
      index: searchHas(signs),
    };
  }
  if (!ONE_WORD.test(text)) return undefined;
  return indexed(role ? sql`(${titleHas} and ${searchHas(role)})` : titleHas);
}
