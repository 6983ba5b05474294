/** Times and bounds of the live rooms. Only tests override them. */
export const roomLimits = {
  /** A participant counts as present for this long after a heartbeat (decisions §6). */
  LEASE_MS: 30_000,
  RENEW_MS: 10_000,
  /** A participant who reconnects within this time does not leave the room (decisions §6). */
  GRACE_MS: 3_000,
  /** Joins and leaves in this time become one event. Otherwise n joins would send n² events. */
  PRESENCE_BATCH_MS: 250,
  TYPING_MS: 2_000,
  DELTA_MS: 40,
  /**
   * Interval at which a participant's right to be in the room is checked. The checks run at lease
   * renewals, so after 40 s at most; decisions §6 allows 60 s.
   */
  RECHECK_MS: 30_000,
  /**
   * A participant whose right could not be checked for this long is disconnected (decisions §6).
   * Meanwhile each lease renewal repeats a check that failed because the database was unavailable.
   */
  UNCHECKED_MS: 60_000,
  /** Time for which a room without sessions keeps its head in memory for polling clients. */
  POLLED_MS: 30_000,
  /**
   * Interval at which rooms compare their head with the log. A message that the bus lost thus
   * arrives within 5 s, including the query (0016).
   */
  HEAD_CHECK_MS: 4_500,
  RETRY_MS: 1_000,
  /** A reply of another server is no longer shown after this time without an event. */
  REPLY_SILENCE_MS: 180_000,

  /**
   * The number of messages sent to a client whose `last_id` is missing or too old (decisions §6).
   */
  NEWEST_MESSAGES: 200,
  MISSED_MESSAGES_MAX: 1_000,
  PAGE_MESSAGES: 200,
  /** The maximum number of messages in one `changed` event (decisions §6). */
  CHANGED_MESSAGES: 50,
  BUFFER_MESSAGES: 256,
  BUFFER_CHARS: 1_000_000,
  /** The maximum number of transient events in the queue of one client. */
  TRANSIENT_QUEUE_MAX: 1_000,
  /** A client with more unread bytes is lagging: its typing events and deltas are dropped. */
  LAGGING_BYTES: 64 * 1024,
};

export type RoomLimits = typeof roomLimits;
