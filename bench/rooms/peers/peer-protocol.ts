/** What the bench and its servers, each a process of its own, say to each other. */

/** What is told to a room: the hub's own events, with a mark by which the load knows them. */
export type ToldEvent =
  | {
      type: "message";
      id: number;
      prev_id: number;
      role: "assistant";
      sender_name: string;
      content: string;
    }
  | { type: "reply-delta"; reply_id: string; offset: number; text: string };

export type PeerOrder =
  /** So many events to room-0, as fast as the event loop turns. */
  | { order: "burst"; what: ToldEvent["type"]; events: number; perTurn: number }
  /** One at a time, by the clock. */
  | { order: "pace"; what: ToldEvent["type"]; events: number; everyMs: number }
  /** Its memory, after a collection. */
  | { order: "weigh" };

export interface PeerReady {
  port: number;
  /** Of the room; the hub's alone. */
  soulId?: number;
}

export interface PeerAnswer {
  rssBytes: number;
  /** What JavaScript holds, buffers included. */
  heldBytes: number;
}

/** By the system's monotonic clock, which all processes of Node share. */
export const nowUs = (): number => Number(process.hrtime.bigint() / 1_000n);

/** Before the number of an event and its time: `^17 81726354 …`. No contender has it elsewhere. */
export const MARK = "^";

/** What somebody hears who has joined a room of a peer. The hub says this and more. */
export const SYNC = {
  type: "sync",
  recovered: true,
  head: 0,
  online_count: 1,
  participants: [{ name: "Anonymous #0000", kind: "guest" }],
  replies: [],
};
