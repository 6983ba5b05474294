import { sql } from "kysely";
import type { Db } from "../db/entities.ts";
import { LAST_CHARACTER, unfinishedWord } from "./search-tiers.ts";

/** Of more the index gathers all that begin so as fast. */
const AT_MOST = 12;

/**
 * The words that souls have and that the last word of a text may become; none: it is finished, or
 * they are too many. An index looks a few finished words up ten times as fast as all that begin so.
 */
export async function wordEndings(db: Db, text: string): Promise<string[] | undefined> {
  const word = unfinishedWord(text);
  if (!word) return undefined;
  const { rows } = await sql<{ words: string[] }>`
    select to_json(array(
      select known.word from soul_words as known,
        (select tsvector_to_array(to_tsvector('simple', hub_spoken(${word}))) as words) as asked
      where cardinality(words) = 1
        and known.word ~>=~ words[1] and known.word ~<=~ (words[1] || ${LAST_CHARACTER})
      limit ${sql.lit(AT_MOST + 1)})) as words`.execute(db);
  const words = rows[0]?.words ?? [];
  return words.length > 0 && words.length <= AT_MOST ? [...new Set(words)] : undefined;
}
