/** A row of `pnpm bench rooms` and its result. Each row is a file `b<nn>-<work>.ts`. */

/**
 * Functions that create the resources of a row. The resources are released when the row ends or
 * fails.
 */
export interface RowTools {
  newDatabase(): Promise<string>;
  onEnd(cleanUp: () => Promise<void>): void;
}

export interface Row {
  /** The name of the row, such as B1, as in bench/README.md and the file name. */
  id: string;
  /** The work in a few words, for the table. */
  work: string;
  /** The timeout of the row in seconds. */
  atMostSeconds: number;
  run(tools: RowTools): Promise<RowResult>;
}

export interface RowResult {
  /** The printed values of each contender, as medians over the rounds. */
  figures: Figure[];
  /**
   * The share of one core that the load generator used; null without a load generator. A value near
   * 1 means that it was the bottleneck.
   */
  clientCpu: number | null;
  verdicts: Verdict[];
}

export interface Figure {
  contender: string;
  /**
   * The printed values of a contender by column title. All contenders of a row have the same
   * columns.
   */
  values: Record<string, string>;
}

export interface Verdict {
  /** The goal as text, for example `≥ 1.0 × socket.io`. */
  goal: string;
  /** The measured value as text, for example `1.23 ×`. */
  measured: string;
  isReached: boolean;
}
