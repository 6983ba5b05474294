import { sql } from "kysely";
import type { Db } from "../../db/database.ts";

/** A search text as PostgreSQL full-text queries in tsquery syntax, restricted to a role (0010). */
export interface TextQueries {
  /** The normalised search text, for comparison with `souls.title_key`. */
  title: string;
  /**
   * Finds souls with every word of the search text. A last word that may be unfinished also matches
   * the beginning of a longer word. Undefined if the search text has no words.
   */
  words?: string;
  /**
   * Finds souls with every word of the search text in the title. Undefined if the search text has
   * no words.
   */
  wordsInTitle?: string;
  /**
   * Finds souls with every word of the search text except a last word that may be unfinished.
   * Undefined if the last word is finished, or if it is the only word.
   */
  finishedWords?: string;
  /**
   * Finds souls with every sign and whole word of the search text in the title. Signs are
   * punctuation, emoji, ideographs and kana. Undefined if the search text has no signs.
   */
  signs?: string;
  /** Finds all souls of the role. Undefined if the search is not restricted to a role. */
  role?: string;
  /** The largest soul id, which is an upper bound of the number of souls. */
  souls: number;
}

/**
 * Matches a search text that ends with neither a letter nor a digit. Its last word is finished: the
 * search text `c++` does not find `cook`.
 */
const FINISHED = /[^\p{L}\p{M}\p{N}]$/u;
/**
 * Matches the first word of a search text. In a title that contains the search text, it may be the
 * end of a longer word: `art now` is part of `start now`.
 */
const FIRST_WORD = /^[^\s!-/:-@[-`{-~]*/;
const LAST_WORD = /[^\s!-/:-@[-`{-~]*$/;

interface NormalizedText {
  title: string;
  /** The words of the search text as quoted lexemes. */
  words: string[];
  /**
   * The words of the search text, as quoted lexemes, without the first word and an unfinished last
   * word. A title may contain those two as parts of longer words.
   */
  whole_words: string[];
  signs: string[];
  souls: number;
}

/** The database normalises search texts and titles alike, since JavaScript's lower case differs. */
async function normalizeText(db: Db, text: string): Promise<NormalizedText> {
  const inner = (FINISHED.test(text) ? text : text.replace(LAST_WORD, "")).replace(FIRST_WORD, "");
  // No lexeme contains a quote or " & ": hub_normalize_words replaces punctuation by spaces.
  const words = (from: string) => sql`to_json(string_to_array(
    plainto_tsquery('simple', hub_normalize_words(${from}))::text, ' & '))`;
  const { rows } = await sql<NormalizedText>`
    select hub_normalize(${text}) as title, ${words(text)} as words, ${words(inner)} as whole_words,
      to_json(tsvector_to_array(hub_signs(${text}))) as signs,
      (select coalesce(max(id), 0) from souls) as souls`.execute(db);
  if (!rows[0]) throw new Error("a select without a table returned no row");
  return rows[0];
}

const quoteLexeme = (text: string) => `'${text.replace(/['\\]/g, "$&$&")}'`;
const ofTitle = (word: string) => word.replace("'", "'^");

/** Makes the unfinished last word of a search text match as a prefix. */
const completeLastWord = (words: readonly string[]) => words.with(-1, `${words.at(-1)}:*`);

export async function toTsqueries(db: Db, text: string, role: string): Promise<TextQueries> {
  const { title, words, whole_words, signs, souls } = await normalizeText(db, text);
  const ofRole = role ? [quoteLexeme(`=${role}`)] : [];
  const all = (name: string, lexemes: readonly string[]) =>
    lexemes.length > 0 ? { [name]: [...lexemes, ...ofRole].join(" & ") } : {};
  const isUnfinished = words.length > 0 && !FINISHED.test(text);
  const completed = isUnfinished ? completeLastWord(words) : words;
  return {
    title,
    ...all("words", completed),
    ...all("wordsInTitle", completed.map(ofTitle)),
    ...all("finishedWords", isUnfinished ? words.slice(0, -1) : []),
    ...(signs.length > 0 && all("signs", [...signs.map(quoteLexeme), ...whole_words.map(ofTitle)])),
    ...(role && { role: ofRole.join() }),
    souls,
  };
}
