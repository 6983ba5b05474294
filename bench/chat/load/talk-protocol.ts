/** What the bench and its talkers, a process of their own, say to each other. */

/** Somebody who talks in one room, one message at a time. */
export interface Talker {
  apiKey: string;
  soul_id: number;
  session_token: string;
}

export interface TalkOrder {
  /** `provider`: the same question asked of the provider itself. */
  whom: "hub" | "provider";
  port: number;
  talkers: Talker[];
  seconds: number;
  /** From one message of a room to the next; 0: as soon as the reply is there. */
  everyMs: number;
  /** Asks the hub for `text/event-stream`. */
  streamed: boolean;
}

export interface TalkResult {
  replies: number;
  failures: number;
  repliesPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  firstTokenP50Ms: number;
  /** Share of one core that the talkers took. Near 1 they were the limit. */
  talkerCpu: number;
}

/** All talkers ask at once for a reply that takes its time, and read every word of it. */
export interface CrowdOrder {
  port: number;
  crowd: Talker[];
}

export interface CrowdResult {
  /** Every word came, in order and once, and the reply is the stored one. */
  whole: number;
  lost: number;
  /** How those that were lost ended, and how many did so. */
  endings: Record<string, number>;
  /** From the question to the end of the last reply. */
  seconds: number;
  /** Between two pieces of one reply. */
  gapP50Ms: number;
  gapP99Ms: number;
  talkerCpu: number;
}
