import type { EmbeddingModel } from "../../embedding/embedding-model.ts";
import { Questions } from "../../embedding/questions.ts";
import { COMPOSITION } from "./embedded-text.ts";

declare module "../../context.ts" {
  interface Hub {
    /** The model by which souls are found by meaning; null if the operator has turned it off. */
    embedding: Embedding | null;
  }
}

export interface Embedding {
  model: EmbeddingModel;
  /** The key of stored vectors: the model, its dimensions, and the composition of texts (0079). */
  key: string;
  questions: Questions;
}

export const createEmbedding = (model: EmbeddingModel | null): Embedding | null =>
  model && {
    model,
    key: `${model.id}/${model.dimensions}/${COMPOSITION}`,
    questions: new Questions(model),
  };

/**
 * `ready`: souls were compared by meaning, or would have been if text had found too few. `warming`:
 * the model did not return a vector in time; the same search may find more souls soon. `off`: the
 * hub has no model.
 */
export type MeaningState = "ready" | "warming" | "off";

/** Returns the state of an answer that needed no vector of a question. */
export const restingState = (embedding: Embedding | null): "ready" | "off" =>
  embedding && embedding.model.state !== "off" ? "ready" : "off";
