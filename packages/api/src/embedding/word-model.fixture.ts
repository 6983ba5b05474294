import { hash } from "node:crypto";
import type { EmbeddingModel } from "./embedding-model.ts";

export interface WordModel extends EmbeddingModel {
  state: EmbeddingModel["state"];
  reason: string | null;
  /** Every text that the model has embedded, oldest first. */
  texts: string[];
  /** Replaces the answers, for example by a failure. Undefined: the model works. */
  instead: ((texts: readonly string[]) => Promise<Int8Array[]>) | undefined;
}

/** Words that mean the same in tests: each is embedded as the first of its list. */
const SAME = [
  ["homework", "tutor", "pupils", "school"],
  ["sad", "lonely", "comfort", "grief"],
  ["proofread", "corrects", "grammar", "spelling"],
];
const meaningOf = new Map(SAME.flatMap((words) => words.map((word) => [word, words[0] ?? word])));

/** A stand-in for an embedding model. Texts that share words, or words of one list, are close. */
export function createWordModel({ id = "words", dimensions = 256 } = {}): WordModel {
  const model: WordModel = {
    id,
    dimensions,
    floor: 0.25,
    state: "ready",
    reason: null,
    texts: [],
    instead: undefined,
    async embed(texts) {
      model.texts.push(...texts);
      return model.instead ? model.instead(texts) : texts.map((text) => vectorOf(text, dimensions));
    },
    close: async () => undefined,
  };
  return model;
}

/** Returns the sum of a pseudo-random vector per word, scaled to int8. */
function vectorOf(text: string, dimensions: number): Int8Array {
  const sum = new Array<number>(dimensions).fill(0);
  const words = new Set(text.toLowerCase().match(/\p{L}{3,}/gu));
  for (const word of new Set(Array.from(words, (each) => meaningOf.get(each) ?? each))) {
    for (let at = 0; at < dimensions; at++) {
      if (at % 32 === 0) continue;
      const byte = hash("sha256", `${word} ${at >> 5}`, "buffer")[at % 32] ?? 0;
      sum[at] = (sum[at] ?? 0) + byte - 128;
    }
  }
  const largest = Math.max(1, ...sum.map(Math.abs));
  return Int8Array.from(sum, (component) => Math.round((component / largest) * 127));
}
