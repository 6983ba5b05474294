import type { dialects } from "./dialects.ts";

/** What the bench and its load, a process of its own, say to each other. */
export type LoadOrder =
  | {
      order: "connect";
      dialect: keyof typeof dialects;
      port: number;
      soulId: number;
      connections: number;
      /** Connects that may be on their way at once. */
      atOnce: number;
      /** Connections per room; the rooms are room-0, room-1, … */
      roomSize: number;
    }
  /** So many events more are about to be told to the crowd. */
  | { order: "expect"; crowd: number; events: number }
  /** The answer comes when all have heard all of them; what it says counts from `expect` on. */
  | { order: "hear"; crowd: number }
  | { order: "leave"; crowd: number };

export interface LoadAnswer {
  /** Names the connections that an order made. */
  crowd: number;
  /** As long as the order took. */
  seconds: number;
  /** Of this process, over that time. */
  cpuSeconds: number;
  /** What is not as it has to be: lost, double, out of order, closed, refused. */
  failures: string[];
  /** Microseconds of the system's clock at which the last one had all. */
  endedUs: number;
  /** From being told to being read, or of a connect from its begin to its sync. */
  p50Ms: number;
  p99Ms: number;
}
