import type {
  ReplyDoneEvent,
  ReplyEvent,
  ReplyFailedEvent,
  ReplyInProgress,
} from "../room-events.ts";

/** A reply in the reply store, which all servers share. */
export interface StoredReply {
  reply: ReplyInProgress;
  /**
   * The event that ended the reply, for servers that missed it. Undefined while the reply is in
   * progress.
   */
  end?: ReplyDoneEvent | ReplyFailedEvent;
}

export interface StoredReplies {
  replies: readonly StoredReply[];
  /** False for a while after an outage of Redis: replies of some servers may be missing. */
  isComplete: boolean;
}

/**
 * Holds the replies of all servers, for servers that open a room later or missed an event. A reply
 * expires one lease time after its end, or after its server renewed it last.
 */
export interface ReplyStore {
  /** Stores an event of this server's reply. Call it in order and before publishing the event. */
  store(roomKey: string, event: ReplyEvent): Promise<void>;
  /** Returns the replies of all servers in a room. Undefined if the store can't be reached. */
  list(roomKey: string): Promise<StoredReplies | undefined>;
  /** Stops renewing this server's replies. */
  close(): void;
}
