/** The messages between a benchmark and its load generator, which is a process of its own. */

/** One HTTP request and its expected response. */
export interface Question {
  path: string;
  /** Expected length of the response body. Null accepts any length. */
  answerBytes: number | null;
  /** The method, API key and body of a write. Without this field the request is a GET. */
  write?: { method: "POST" | "PUT"; apiKey: string; body: string };
}

export interface LoadOrder {
  port: number;
  connections: number;
  seconds: number;
  questions: Question[];
}

export interface LoadResult {
  requestsPerSecond: number;
  failures: number;
  p50Ms: number;
  p99Ms: number;
  /** Share of one core that the load generator used. Near 1, it was the bottleneck. */
  generatorCpu: number;
}
