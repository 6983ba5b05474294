import { sql } from "kysely";
import type { Db } from "../../db/database.ts";
import { callFunction } from "../../db/sql-functions.ts";
import { editDistance } from "./edit-distance.ts";

/** Words from this length on may have two slips. */
const LONG_WORD = 8;
const MAX_CANDIDATES = 3;
/** Words and the spaces between them. Each word costs a look into the full-text index. */
const MAX_PIECES = 48;
/** Each attempt is a search. */
const MAX_ATTEMPTS = 3;
/** Souls are counted to this number: commoner words are all the same. */
const MAX_USES = 1_000;

/** Matches a word of 4 to 40 letters, between the marks of a sentence. */
const WORD = /^(?<before>["'“„«(¿¡]*)(?<word>\p{L}[\p{L}\p{M}]{3,39})(?<after>[.,;:!?…"'”»)]*)$/u;

interface NearTerm {
  /** The place of the word among the pieces of the question, from 1. */
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
  const parts = pieces.map((piece) => WORD.exec(piece)?.groups).slice(0, MAX_PIECES);
  const near = await callFunction<NearTerm>(db, "near_terms", {
    asked: parts.map((part) => part?.word ?? ""),
    is_open: parts.length === pieces.length && parts.at(-1)?.after === "",
  });
  const close = near
    .map((one) => ({ ...one, distance: editDistance(one.word, one.term) }))
    .filter(({ word, distance }) => distance <= (Array.from(word).length < LONG_WORD ? 1 : 2));
  if (close.length === 0) return undefined;
  const uses = await countUses(db, [...new Set(close.map(({ term }) => term))]);
  const usesOf = ({ term }: NearTerm) => uses.get(term) ?? 0;
  const options = pieces.map((piece, at) => {
    const { before = "", after = "" } = parts[at] ?? {};
    const terms = close
      .filter((one) => one.nth === at + 1 && usesOf(one) > 0)
      .sort((a, b) => a.distance - b.distance || usesOf(b) - usesOf(a))
      .slice(0, MAX_CANDIDATES)
      .map(({ term }) => before + term + after);
    return terms.length > 0 ? terms : [piece];
  });
  const texts = options.reduce(
    (all, ofPiece) =>
      all.flatMap((text) => ofPiece.map((option) => text + option)).slice(0, MAX_ATTEMPTS),
    [""],
  );
  const [first = ""] = texts;
  if (first === question.trim()) return undefined;
  for (const text of texts) {
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
