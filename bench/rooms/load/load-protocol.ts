import type { dialects } from "./dialects.ts";

/** The messages between the benchmark and its load generator. */
export type LoadOrder =
  | {
      order: "connect";
      dialect: keyof typeof dialects;
      port: number;
      soulId: number;
      connections: number;
      /** The number of clients that connect concurrently. */
      concurrency: number;
      /** The number of connections per room. The rooms are <roomPrefix>-0, <roomPrefix>-1, … */
      roomSize: number;
      roomPrefix: string;
    }
  /** Announces to the load generator that each client will receive this many further events. */
  | { order: "expect"; groupId: number; events: number }
  /**
   * The load generator answers this order when every client has received all events that `expect`
   * announced.
   */
  | { order: "receive"; groupId: number }
  | { order: "leave"; groupId: number };

export interface LoadAnswer {
  /** The id of the group of clients that a `connect` order opened. */
  groupId: number;
  /** The duration of the order in seconds. */
  seconds: number;
  /** The CPU time of the load generator during the order, in seconds. */
  cpuSeconds: number;
  /** Descriptions of lost, repeated or reordered events and of closed or refused connections. */
  failures: string[];
  /**
   * The time at which the last client had received all events, in microseconds of the monotonic
   * clock.
   */
  endedUs: number;
  /** The latencies of events. For a `connect` order, the durations from connecting to the sync. */
  p50Ms: number;
  p99Ms: number;
}
