import { type RawBuilder, type SqlBool, sql } from "kysely";

export type Condition = RawBuilder<SqlBool>;

/** One of the ways in which a text is found; a soul is in the first one that it matches. */
export interface Tier {
  matches: Condition;
  /** The part of it that the planner knows how to estimate. */
  known: Condition;
  /** True of all of them: the words before the last one are there. */
  finished?: Condition | undefined;
  /** True of all of them: the last word, which is unfinished, is there. */
  last?: Condition | undefined;
  /** True of all of them: each of these words is there. None: one word, very many, or nobody asks. */
  words: readonly Condition[];
  /** The index of words doesn't have all of it. */
  isOfTitles?: true;
  /** No index has it: it is asked for only where all that match are read. */
  ofFew?: true;
}

export interface SearchTiers {
  /** The best first (decisions §2, `q`). */
  tiers: readonly Tier[];
  /** Whatever is in one of them. */
  any: Tier;
  /** Some of them, which the index finds sooner: all words as they are written. None: that is all of them. */
  exact?: Tier | undefined;
  /** How well the words fit, within a tier that says only where they are. */
  relevance: RawBuilder<number>;
}

/** Of Unicode: behind every text that begins with the same. */
export const LAST_CHARACTER = "\u{10ffff}";
/** What the index of trigrams needs: three letters or digits in a row. */
const TRIGRAM = /[\p{L}\p{N}]{3}/u;
/** A text that ends in punctuation or the like, and not in an ideograph: its last word is finished. */
const FINISHED = /[^\p{L}\p{M}\p{N}]$/u;
/** As far as the first space or sign of ASCII, and from the last one on. */
const FIRST_WORD = /^[^\s!-/:-@[-`{-~]*/;
const LAST_WORD = /[^\s!-/:-@[-`{-~]*$/;
const BETWEEN_WORDS = /[\s!-/:-@[-`{-~]+/;
const LETTER = /[\p{L}\p{N}]/u;
/** What the database keeps as signs of a title (migration 0010). */
const SIGN = /[^\p{L}\p{M}\p{N}\s]|[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/u;

interface Asked {
  isOrdered: boolean;
  /** What the last word may become, where that is known (./word-endings.ts). */
  endings?: readonly string[] | undefined;
  /** About how many souls have each of the words of `any`, where that is known. */
  having?: readonly number[] | undefined;
}

/**
 * The title itself; titles that begin so; and then, unless an order is asked for, relevance: where
 * the words stand (docs/decisions/0010-search.md). The last word may be unfinished: people search as
 * they type; a sign behind it ends it. Nothing in the text is an operator.
 */
export function searchTiers(q: string, asked: Asked): SearchTiers {
  const text = q.trim();
  const folded = sql`hub_folded(${text})`;
  // Operators that the index of trigrams doesn't have: for `=` and `like 'a%'` the planner takes it,
  // and it finds 144,000 titles with these letters where 7,000 are equal.
  const isTitle: Condition = sql`(souls.title_key ~>=~ ${folded} and souls.title_key ~<=~ ${folded})`;
  const begins: Condition = sql`(souls.title_key ~>=~ ${folded} and souls.title_key ~<=~ (${folded} || ${LAST_CHARACTER}))`;
  const query = sql`(${spelled(text)} || ${unfinished(text)})::tsquery`;
  const words = withoutRepeats(text);
  const said = inWords(words, anywhereInText, asked);
  const asItStands = standingInTitle(text);
  const any = asItStands ? either(said, asItStands) : said;

  // How common a word is in titles isn't asked: few have several of them.
  const worded = [{ ...inWords(words, inTitle, asked), words: [] }, said];
  const stands = asItStands ? [asItStands] : [];
  // `c++` is what was meant, not the word `c`; a part of a longer word is less than the word anywhere.
  const relevant = SIGN.test(text)
    ? [...stands, standingElsewhere(text, said.matches), ...worded]
    : [...worded, ...stands];
  return {
    tiers: [
      { ...tier(isTitle, sql`souls.title_key = ${folded}`), isOfTitles: true },
      { ...tier(begins, sql`souls.title_key like (${folded} || '%')`), isOfTitles: true },
      ...(asked.isOrdered ? [any] : relevant),
    ],
    any,
    // With a space behind it the last word is finished.
    exact:
      unfinished(words) || asItStands
        ? inWords(`${words} `, anywhereInText, { having: asked.having })
        : undefined,
    relevance: asked.isOrdered ? sql`0` : sql`coalesce(ts_rank(souls.search, ${query}), 0)`,
  };
}

const tier = (matches: Condition, known = matches): Tier => ({ matches, known, words: [] });

const either = (one: Tier, other: Tier): Tier => ({
  matches: sql`(${one.matches} or ${other.matches})`,
  known: sql`(${one.known} or ${other.known})`,
  words: one.words,
  last: one.last,
  isOfTitles: true,
});

/** True of all souls of a role, and of some others: the index of words has it. */
export const saysRole = (role: string): Condition => sql`souls.search @@ ${spelled(role)}::tsquery`;

/** The words as PostgreSQL spells them for a query, which drops every operator; null: there are none. */
const spelled = (text: string) =>
  sql<string>`nullif(plainto_tsquery('simple', hub_spoken(${text}))::text, '')`;

/** The same of the title: the index has its words apart from the others (migration 0010). */
const titleSpelled = (text: string) => sql<string>`replace(' ' || ${spelled(text)}, ' ''', ' ''^')`;

interface Spelling {
  /** How its words are told apart in the index. */
  mark: string;
  spell(text: string): RawBuilder<string>;
}
const anywhereInText: Spelling = { mark: "", spell: spelled };
const inTitle: Spelling = { mark: "^", spell: titleSpelled };

/** More than these, and the souls that have all of them are few. */
const MOST_WORDS = 8;

/** All words are there, the last one perhaps unfinished. */
function inWords(
  text: string,
  { mark, spell }: Spelling,
  { endings, having = [] }: Pick<Asked, "endings" | "having">,
): Tier {
  const has = (words: RawBuilder<string>): Condition => sql`souls.search @@ (${words})::tsquery`;
  const ending = unfinished(text);
  const before = ending ? text.replace(LAST_WORD, "") : text;
  const ended = endings?.map((word) => `'${(mark + word).replace(/['\\]/g, "$&$&")}'`).join("|");
  const all = ended
    ? sql<string>`coalesce(${spell(before)} || ' & ', '') || ${`(${ended})`}`
    : sql<string>`${spell(text)} || ${ending}`;
  const matches = has(all);
  // What is no word to PostgreSQL is passed over: true where all the others are there.
  const each = before
    .split(BETWEEN_WORDS)
    .filter((word) => word !== "")
    .map((word) => has(sql`coalesce(${spell(word)}, ${all})`));
  if (ending && !ended) {
    if (!before) return { ...tier(matches), last: matches };
    // Signs are no words: of `& paint` the last word is all there is.
    const finished = has(sql`coalesce(${spell(before)}, ${all})`);
    const last = has(sql`${spell(text.slice(before.length))} || ${ending}`);
    return { ...tier(matches), words: each.slice(0, MOST_WORDS), finished, last };
  }
  if (ended) each.push(has(sql`${ended}`));
  if (each.length < 2 || each.length > MOST_WORDS) return tier(matches);
  const inTurn = each.toSorted(
    (one, other) => (having[each.indexOf(one)] ?? 0) - (having[each.indexOf(other)] ?? 0),
  );
  // Of two it doesn't matter. Of more the index looks for the next soul that has the first, then
  // whether it has the second, and so on; asked for all at once, it looks all of them up each time.
  const matchesInTurn: Condition =
    each.length > 2 ? sql`(${sql.join(inTurn, sql` and `)})` : matches;
  return { ...tier(matchesInTurn, matches), words: each };
}

/**
 * Each word once: the planner would believe that `the` twice is rarer than once. A last word that is
 * also among the others is finished.
 */
function withoutRepeats(text: string): string {
  const words = text.split(BETWEEN_WORDS);
  const once = [...new Set(words)];
  if (once.length === words.length) return text;
  const isLastRepeated = words.indexOf(words.at(-1) ?? "") < words.length - 1;
  return `${once.join(" ")}${isLastRepeated ? " " : ""}`;
}

/** The last word of a text, if it may be unfinished. */
export const unfinishedWord = (q: string): string | undefined => {
  const text = withoutRepeats(q.trim());
  return unfinished(text) ? LAST_WORD.exec(text)?.[0] : undefined;
};

/** What is put behind the last word: any letters, unless it is finished. */
const unfinished = (text: string) => (FINISHED.test(text) ? "" : ":*");

/** As `like` wants it: anywhere, and nothing in it is a wildcard. */
const anywhere = (text: string) => sql`hub_folded(${`%${text.replace(/[\\%_]/g, "\\$&")}%`})`;

const titleHolds = (text: string): Condition => sql`souls.title_key like ${anywhere(text)}`;

/** The words are there, and the text as it stands is in the description or the domain. */
function standingElsewhere(text: string, said: Condition): Tier {
  const elsewhere = sql`hub_folded(souls.domain || ' ' || souls.description)`;
  return { ...tier(sql`(${said} and ${elsewhere} like ${anywhere(text)})`), ofFew: true };
}

/** The text as it stands is in the title: `c++`, an ideograph, a part of a longer word. */
function standingInTitle(text: string): Tier | undefined {
  if (SIGN.test(text)) {
    const signs = sql`nullif(replace(hub_signs(${text})::text, ' ', ' & '), '')`;
    const hasSigns: Condition = sql`souls.search @@ coalesce(${signs}, ${spelled(text)})::tsquery`;
    // The first word may be the end of a longer one, and the last one the beginning.
    const finished = FINISHED.test(text) ? text : text.replace(LAST_WORD, "");
    const inner = finished.replace(FIRST_WORD, "");
    const known: Condition = LETTER.test(inner)
      ? sql`(${hasSigns} and souls.search @@ coalesce(${titleSpelled(inner)}, ${signs}, ${spelled(text)})::tsquery)`
      : hasSigns;
    // Of titles with signs the planner knows no letters. `is true`: no index is used for it, where that
    // of trigrams would gather 80,000 titles with ` a` to find the one of 1,400 with `a_b`.
    return tier(sql`(${known} and (${titleHolds(text)}) is true)`, known);
  }
  return TRIGRAM.test(text) && !/\s/.test(text)
    ? { ...tier(titleHolds(text)), isOfTitles: true }
    : undefined;
}
