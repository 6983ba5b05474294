/** What the bench and its load generator, a process of its own, say to each other. */

export interface Question {
  path: string;
  /** Bytes of the one right answer: anything else counts as a failure. Null: it depends on what was before. */
  answerBytes: number | null;
  cookie?: string;
  /** A change; without it GET. */
  write?: { method: "POST" | "PUT"; apiKey: string; body: string };
}

export interface LoadOrder {
  port: number;
  connections: number;
  seconds: number;
  questions: Question[];
}

export interface LoadResult {
  /** As long as it took in the end. */
  seconds: number;
  requestsPerSecond: number;
  failures: number;
  p50Ms: number;
  p99Ms: number;
  /** Share of one core that generating the load took. Near 1 it was the limit, not the server. */
  generatorCpu: number;
}
