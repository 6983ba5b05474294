/** The messages between a benchmark and its load generator, which is a process of its own. */

/** One HTTP request and its expected response. */
export interface Question {
  path: string;
  /**
   * Expected length of the response body. A different length counts as a failure. Null accepts any
   * length.
   */
  answerBytes: number | null;
  cookie?: string;
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
  /** The actual duration of the load, in seconds. */
  seconds: number;
  requestsPerSecond: number;
  failures: number;
  p50Ms: number;
  p99Ms: number;
  /**
   * Share of one core that the load generator used. A value near 1 means that it was the
   * bottleneck.
   */
  generatorCpu: number;
}
