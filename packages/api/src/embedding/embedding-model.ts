/**
 * A model that turns texts into vectors (0079). The hub compares vectors of one model only, and
 * knows nothing else of the model.
 */
export interface EmbeddingModel {
  /** Names the model and its version. Vectors of different ids are never compared. */
  readonly id: string;
  /** The number of components of each vector. */
  readonly dimensions: number;
  /** The lowest cosine at which two texts count as close. */
  readonly floor: number;
  /**
   * `ready` also while the model is at rest and starts with the next call; `warming` while it fails
   * or starts anew; `off` if it can't run on this machine.
   */
  readonly state: EmbeddingState;
  /** Why the model is `off` or `warming`, for the operator; null while it is `ready`. */
  readonly reason: string | null;
  /**
   * Returns one vector per text, in the order of the texts. Calls may overlap. A call with one text
   * is a question, which a person waits for, and goes before calls with several.
   * @throws Error if the model fails. The caller asks again later
   */
  embed(texts: readonly string[]): Promise<Int8Array[]>;
  /** Ends all that the model started. */
  close(): Promise<void>;
}

export type EmbeddingState = "ready" | "warming" | "off";
