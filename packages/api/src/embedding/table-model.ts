import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { EmbeddingModel, EmbeddingState } from "./embedding-model.ts";
import { neighboursOf } from "./neighbours.ts";
import { type Entry, WordTable } from "./word-table.ts";

/** Names the file and how texts are composed: a change of either needs another id. */
const ID = "words-1";
const DIMENSIONS = 192;
/** The lowest cosine at which texts count as close (0080). */
const FLOOR = 0.15;
const FILE = join(import.meta.dirname, "words.bin");
/** Slips are searched in texts of at most this many words: names in longer texts are no slips. */
const SHORT_WORDS = 12;
const SLIP_LETTERS = 4;
/** Each letter makes 54 neighbours. */
const MAX_SLIP_LETTERS = 24;
/** Characters of a text that are read. NFKD makes at most 18 of one. */
const MAX_CHARS = 4_000;
const WORD = /c\+\+|[a-z]+(?:'[a-z]+)?|\d+/g;

/**
 * The built-in model (0080): the vector of a text is the sum of the vectors of its words, which a
 * file holds. It needs no process, and the file is opened with the first text.
 * @param file the table of words
 */
export function createTableModel(file = FILE): EmbeddingModel {
  let table: WordTable | undefined;
  let state: EmbeddingState = existsSync(file) ? "ready" : "off";
  let reason = existsSync(file) ? null : `${file} is missing`;
  const open = (): WordTable => {
    if (table) return table;
    try {
      const opened = new WordTable(file, DIMENSIONS);
      [table, state, reason] = [opened, "ready", null];
      return opened;
    } catch (error) {
      // The system's own errors pass, for example when too many files are open.
      const isPassing = error instanceof Error && "errno" in error;
      [state, reason] = [isPassing ? "warming" : "off", String(error)];
      throw error;
    }
  };
  return {
    id: ID,
    dimensions: DIMENSIONS,
    floor: FLOOR,
    get state() {
      return state;
    },
    get reason() {
      return reason;
    },
    async embed(texts) {
      const vectors: Int8Array[] = [];
      for (const text of texts) {
        vectors.push(vectorOf(open(), text));
        // A text takes a fraction of a millisecond: other work goes on between two of them.
        if (texts.length > 1) await setImmediate();
      }
      return vectors;
    },
    async close() {
      table?.close();
      table = undefined;
    },
  };
}

/** Returns the direction of a text from the mean of all texts, zeros if no word is known. */
function vectorOf(table: WordTable, text: string): Int8Array {
  const sum = new Float64Array(table.dimensions);
  for (const { entry, weight } of entriesOf(table, text)) table.add(sum, entry, weight);
  const length = Math.hypot(...sum);
  if (length === 0) return new Int8Array(table.dimensions);
  const direction = sum.map((component, at) => component / length - (table.mean[at] ?? 0));
  const largest = direction.reduce((most, component) => Math.max(most, Math.abs(component)), 0);
  return Int8Array.from(direction, (component) => Math.round((127 * component) / largest));
}

/** Returns the known words of a text. A word that occurs four times counts twice. */
function entriesOf(table: WordTable, text: string): { entry: Entry; weight: number }[] {
  const read = text.slice(0, MAX_CHARS);
  const plain = read.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("’", "'").toLowerCase();
  const words = (plain.match(WORD) ?? []).map((word) => word.replace(/'s$/, ""));
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].flatMap(([word, count]) => {
    const entry = table.find(word) ?? (words.length <= SHORT_WORDS ? corrected(table, word) : null);
    return entry ? { entry, weight: Math.sqrt(count) } : [];
  });
}

/** Returns the commonest known word that differs from an unknown one by one slip of a finger. */
function corrected(table: WordTable, word: string): Entry | undefined {
  if (word.length < SLIP_LETTERS || word.length > MAX_SLIP_LETTERS) return undefined;
  return neighboursOf(word)
    .flatMap((neighbour) => table.find(neighbour) ?? [])
    .sort((a, b) => a.rarity - b.rarity)[0];
}
