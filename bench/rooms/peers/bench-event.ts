/**
 * An event of the benchmark. It has the fields of the hub's event, and its text starts with MARK.
 */
export type BenchEvent =
  | {
      type: "message";
      id: number;
      prev_id: number;
      role: "assistant";
      sender_name: string;
      content: string;
    }
  | { type: "reply-delta"; reply_id: string; offset: number; text: string };

const originUs = Number(process.hrtime.bigint() / 1_000n) - performance.now() * 1_000;

/**
 * Microseconds of the system's monotonic clock, which all Node processes share. Reading
 * `performance` takes a fifth of the time of `process.hrtime.bigint`.
 */
export const nowUs = (): number => Math.round(originUs + performance.now() * 1_000);

/**
 * The character before the number and time of an event: `^17 81726354 …`. A frame contains no other
 * `^`.
 */
export const MARK = "^";

/**
 * The sync event that every contender except the hub sends. The hub's sync event has more fields.
 */
export const SYNC = {
  type: "sync",
  recovered: true,
  head: 0,
  online_count: 1,
  participants: [{ name: "Anonymous #0000", kind: "guest" }],
  replies: [],
};
