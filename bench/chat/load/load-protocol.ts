import type { ChatClient } from "../../processes/chat-hub.ts";

/** The messages between the benchmark and the process of its chat clients. */

/** An order to send messages in all rooms at an interval. */
export interface RoomsOrder {
  /** With `provider` the clients send the same prompts to the model provider directly. */
  target: "hub" | "provider";
  port: number;
  clients: ChatClient[];
  seconds: number;
  /** Time between two messages of a room. With 0 the next message follows the reply at once. */
  intervalMs: number;
  /** True if the clients request the replies as `text/event-stream`. */
  streamed: boolean;
}

export interface RoomsResult {
  replies: number;
  repliesPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  firstTokenP50Ms: number;
  /** Share of one core that the clients used. Near 1, they were the bottleneck. */
  clientCpu: number;
  /** Failed calls and incomplete replies. */
  faults: string[];
}

/** All clients request a paced reply at the same moment and check every word of the reply. */
export interface BurstOrder {
  port: number;
  clients: ChatClient[];
  /** The words of a reply. */
  words: number;
}

export interface BurstResult {
  /** The number of replies that contain every word once, in order, and equal the stored reply. */
  complete: number;
  /** Time from sending the requests to the end of the last reply. */
  seconds: number;
  /** Time between two chunks of one reply. */
  gapP50Ms: number;
  gapP99Ms: number;
  clientCpu: number;
  /** The errors of lost replies. */
  faults: string[];
}
