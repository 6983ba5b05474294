/** What one row of `pnpm bench rooms` is, and what it finds out. Each is a file `b<nn>-<work>.ts`. */

/** What a row gets; all of it is gone when the row ends, however it ends. */
export interface RowTools {
  newDatabase(): Promise<string>;
  onEnd(cleanUp: () => Promise<void>): void;
}

export interface Row {
  /** B1, B2, …, as in docs and in the file's name. */
  id: string;
  /** What is measured, in a few words. */
  work: string;
  /** Whatever hangs, a row doesn't. */
  atMostSeconds: number;
  run(tools: RowTools): Promise<RowResult>;
}

export interface RowResult {
  /** A line per contender, with what was measured of it: medians, where there are rounds. */
  figures: Figure[];
  /** Share of one core that the load generator took; near 1 it was the limit. Null: there is none. */
  clientCpu: number | null;
  verdicts: Verdict[];
}

export interface Figure {
  contender: string;
  /** By head of column; every figure of a row has the same columns. */
  values: Record<string, string>;
}

export interface Verdict {
  /** In words: `≥ 1.0 × socket.io`. */
  goal: string;
  /** What it is instead: `1.23 ×`. */
  measured: string;
  isReached: boolean;
}
