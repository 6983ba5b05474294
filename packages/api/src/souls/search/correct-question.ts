import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { callFunction } from "../../db/sql-functions.ts";
import { editDistance } from "./edit-distance.ts";

/** Words from this length on may have two slips. */
const LONG_WORD = 8;
const MAX_CANDIDATES = 3;
/** Each word costs a look into the full-text index. */
const MAX_WORDS = 24;
/** Each attempt is a search. */
const MAX_ATTEMPTS = 6;
/** Souls are counted to this number: commoner words are all the same. */
const MAX_USES = 1_000;

/** Matches a word of at least four letters, between the marks of a sentence. */
const WORD = /^(?<before>["'“„«(¿¡]*)(?<word>\p{L}[\p{L}\p{M}]{3,})(?<after>[.,;:!?…"'”»)]*)$/u;

interface NearTerm {
  /** The place of the word among the asked ones, from 1. */
  nth: number;
  word: string;
  term: string;
}

/** A question with the nearest known words in place of unknown ones. */
export interface Corrected {
  text: string;
  /** The souls that the corrected question finds. */
  ids: number[];
}

/**
 * Corrects slips in a question (0079). Only a word that no public soul contains is replaced. Of
 * several corrections, the first that finds souls is taken.
 * @returns undefined if there is nothing to correct
 */
export async function correctQuestion(
  db: Db,
  question: string,
  search: (text: string) => Promise<number[]>,
): Promise<Corrected | undefined> {
  const pieces = question.trim().split(/(\s+)/);
  const words = pieces
    .flatMap((piece, at) => {
      const { before = "", word, after = "" } = WORD.exec(piece)?.groups ?? {};
      return word ? [{ at, word, put: (term: string) => before + term + after, after }] : [];
    })
    .slice(0, MAX_WORDS);
  const last = words.at(-1);
  if (!last) return undefined;
  const near = await callFunction<NearTerm>(db, "near_terms", {
    asked: words.map(({ word }) => word),
    is_open: last.at === pieces.length - 1 && last.after === "",
  });
  const close = near
    .map((one) => ({ ...one, distance: editDistance(one.word, one.term) }))
    .filter(({ word, distance }) => distance <= (Array.from(word).length < LONG_WORD ? 1 : 2));
  if (close.length === 0) return undefined;
  const uses = await countUses(db, [...new Set(close.map(({ term }) => term))]);
  const candidates = words.map((_, at) =>
    close
      .filter(({ nth, term }) => nth === at + 1 && uses.get(term))
      .sort((a, b) => a.distance - b.distance || (uses.get(b.term) ?? 0) - (uses.get(a.term) ?? 0))
      .slice(0, MAX_CANDIDATES)
      .map(({ term }) => term),
  );
  const texts = combinations(candidates).map((terms) => {
    const corrected = [...pieces];
    for (const [nth, { at, put }] of words.entries()) {
      const term = terms[nth];
      if (term !== undefined) corrected[at] = put(term);
    }
    return corrected.join("");
  });
  const [first] = texts;
  if (first === undefined || first === question.trim()) return undefined;
  for (const text of texts.slice(0, MAX_ATTEMPTS)) {
    const ids = await search(text);
    if (ids.length > 0) return { text, ids };
  }
  return { text: first, ids: [] };
}

/** Counts the listed souls that contain each word, as the full-text index has them now. */
async function countUses(db: Db, terms: string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ term: string; uses: number }>`
    select term, (select count(*) from (
        select from souls where is_public = 1 and is_listed
          and search @@ quote_literal(term)::tsquery limit ${sql.lit(MAX_USES)}) as found) as uses
    from unnest(${terms}::text[]) as term`.execute(db);
  return new Map(rows.map(({ term, uses }) => [term, uses]));
}

/**
 * Returns each choice of one candidate per word, those with the best candidates first. A word
 * without candidates stays.
 */
function combinations(candidates: string[][]): (string | undefined)[][] {
  let choices: { rank: number; terms: (string | undefined)[] }[] = [{ rank: 0, terms: [] }];
  for (const ofWord of candidates) {
    const options: (string | undefined)[] = ofWord.length > 0 ? ofWord : [undefined];
    choices = choices
      .flatMap(({ rank, terms }) =>
        options.map((term, at) => ({ rank: rank + at, terms: [...terms, term] })),
      )
      .sort((a, b) => a.rank - b.rank)
      .slice(0, MAX_ATTEMPTS);
  }
  return choices.map(({ terms }) => terms);
}
