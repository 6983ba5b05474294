import { setTimeout } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { EmbeddingModel } from "./embedding-model.ts";

/** Vectors of the last questions: half a megabyte. */
const KEPT = 1_000;
const MAX_WAITING = 64;
const WAIT_MS = 1_500;

/** Embeds the questions of people, who do not wait longer than a moment (0079). */
export class Questions {
  readonly #model: EmbeddingModel;
  readonly #kept = new LRUCache<string, Int8Array>({ max: KEPT });
  readonly #asked = new Map<string, Promise<Int8Array | undefined>>();

  constructor(model: EmbeddingModel) {
    this.#model = model;
  }

  /** Returns the vector of a question; undefined if the model does not return one in time. */
  async embed(question: string): Promise<Int8Array | undefined> {
    const kept = this.#kept.get(question);
    if (kept) return kept;
    if (!this.#asked.has(question)) {
      if (this.#asked.size >= MAX_WAITING) return undefined;
      this.#asked.set(question, this.#ask(question));
    }
    const late = setTimeout(WAIT_MS, undefined, { ref: false });
    return Promise.race([this.#asked.get(question), late]);
  }

  async #ask(question: string): Promise<Int8Array | undefined> {
    try {
      const [vector] = await embedAll(this.#model, [question]);
      if (vector) this.#kept.set(question, vector);
      return vector;
    } catch {
      return undefined;
    } finally {
      this.#asked.delete(question);
    }
  }
}

/**
 * Embeds texts, and checks the vectors.
 * @throws Error if the model fails, or returns vectors of another number or length
 */
export async function embedAll(
  model: EmbeddingModel,
  texts: readonly string[],
): Promise<Int8Array[]> {
  const vectors = await model.embed(texts);
  const isWhole = (vector: unknown) =>
    vector instanceof Int8Array && vector.length === model.dimensions;
  if (vectors.length === texts.length && vectors.every(isWhole)) return vectors;
  throw new Error(`the model ${model.id} returned vectors of another number or length`);
}
