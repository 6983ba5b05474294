import { sql } from "kysely";
import type { CallContext } from "../../context.ts";
import { correctQuestion } from "./correct-question.ts";
import { embeddedQuestion } from "./embedded-text.ts";
import { type Embedding, type MeaningState, restingState } from "./embedding.ts";
import { nearestSouls } from "./nearest-souls.ts";
import { REACH } from "./search-limits.ts";
import { type SoulSearch, searchSouls } from "./search-souls.ts";

/** The stage that found a soul; `exact` is a text match whose title is the question. */
export type Match = "exact" | "text" | "slip" | "meaning";

export interface FoundPage {
  found: Map<number, Match>;
  has_more: boolean;
  /** The number of matches, if text alone found souls and all of them were counted. */
  total?: number;
  search: {
    /** The question that was searched beside the given one; null without a slip. */
    corrected: string | null;
    meaning: MeaningState;
  };
}

/**
 * Searches public souls by text, then by the question without its slips, then by meaning (0079).
 * Each stage runs only if those before it found fewer souls than the page needs, and lists its souls
 * after theirs.
 */
export async function searchInStages(
  { db, hub }: Pick<CallContext, "hub" | "db">,
  input: SoulSearch,
): Promise<FoundPage> {
  const { q, role, sort, limit, offset } = input;
  const { embedding, metrics } = hub;
  const end = offset + limit;
  const timed = async <Result>(stage: string, work: Promise<Result>): Promise<Result> => {
    const stop = metrics.searchSeconds.startTimer({ stage });
    return work.finally(stop);
  };

  const text = await timed("text", searchSouls(db, input));
  // Of many matches, `has_more` is false at the end of those that paging reaches.
  if (text.has_more || (text.total === undefined && end >= REACH)) {
    const { ids, ...counts } = text;
    const search = { corrected: null, meaning: restingState(embedding) };
    return { found: await byText({ db }, q, ids), ...counts, search };
  }
  const byWords = offset === 0 ? text : await searchSouls(db, { ...input, offset: 0, limit: end });
  const found = await byText({ db }, q, byWords.ids);
  const add = (ids: number[], match: Match) => {
    for (const id of ids) if (!found.has(id)) found.set(id, match);
  };

  const searchText = async (corrected: string) =>
    (await searchSouls(db, { ...input, q: corrected, offset: 0, limit: end + 1 })).ids;
  const corrected = await timed("slip", correctQuestion(db, q, searchText));
  add(corrected?.ids ?? [], "slip");

  let meaning: MeaningState = restingState(embedding);
  if (meaning === "ready" && embedding && found.size <= end && sort === undefined) {
    const near = await timed("meaning", findByMeaning(embedding));
    if (near) add(near, "meaning");
    else meaning = "warming";
  }
  const hasSlips = [...found.values()].includes("slip");
  const isTextAlone = found.size === byWords.ids.length;
  return {
    found: new Map([...found].slice(offset, end)),
    has_more: found.size > end,
    ...(isTextAlone && text.total !== undefined && { total: text.total }),
    search: { corrected: hasSlips ? (corrected?.text ?? null) : null, meaning },
  };

  /** A word may be unknown to the souls and known to the model, so both questions are embedded. */
  async function findByMeaning(by: Embedding): Promise<number[] | undefined> {
    const asked = [q, ...(corrected ? [corrected.text] : [])].map(embeddedQuestion).join("\n");
    const vector = await by.questions.embed(asked);
    return vector && nearestSouls(db, by, { vector, role });
  }
}

/** Tells exact titles from other matches by text. */
async function byText(
  { db }: Pick<CallContext, "db">,
  q: string,
  ids: number[],
): Promise<Map<number, Match>> {
  const { rows } = await sql<{ id: number }>`
    select id from souls where id = any(${ids}::bigint[])
      and title_key = hub_normalize(${q.trim()})`.execute(db);
  const exact = new Set(rows.map(({ id }) => id));
  return new Map(ids.map((id) => [id, exact.has(id) ? "exact" : "text"]));
}
