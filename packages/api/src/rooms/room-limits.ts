/** Every time and bound of the live rooms. Tests give their own; nothing else should. */
export const roomLimits = {
  /** Decisions §6: how long somebody counts as present after a sign of life. */
  LEASE_MS: 30_000,
  RENEW_MS: 10_000,
  /** Decisions §6: back within this time, nobody notices. */
  GRACE_MS: 3_000,
  /** Joins and leaves of this time go out as one event: n joins are not n² events. */
  GATHER_MS: 250,
  TYPING_MS: 2_000,
  DELTA_MS: 40,
  /** Decisions §6 asks for 60 s anywhere; the check rides on the renewals, so 30 s is at most 40 s. */
  RECHECK_MS: 30_000,
  /** A room nobody listens to keeps its head in memory for its pollers this long. */
  POLLED_MS: 30_000,
  /** What the bus lost is there within 5 s (realtime design), the query included. */
  HEAD_CHECK_MS: 4_500,
  RETRY_MS: 1_000,
  /** Nothing is known of another server's reply for so long: it is no longer shown. */
  REPLY_SILENCE_MS: 180_000,

  /** Decisions §6: what somebody without last_id, or too far behind, gets. */
  NEWEST_MESSAGES: 200,
  MISSED_MESSAGES_MAX: 1_000,
  PAGE_MESSAGES: 200,
  RING_MESSAGES: 256,
  RING_CHARS: 1_000_000,
  /** Passing events that may wait for one slow reader. */
  PASSING_QUEUE_MAX: 1_000,
  /** With more than this unsent, a reader is behind: what passes is dropped, the log waits. */
  UNSENT_BYTES: 64 * 1024,
};

export type RoomLimits = typeof roomLimits;
