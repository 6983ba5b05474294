import type {
  ReplyDoneEvent,
  ReplyEvent,
  ReplyFailedEvent,
  ReplyInProgress,
} from "./room-events.ts";

/** A reply as the servers share it. */
export interface StoredReply {
  reply: ReplyInProgress;
  /** How it ended, for those who have missed that; undefined while it is being written. */
  end?: ReplyDoneEvent | ReplyFailedEvent;
}

export interface StoredReplies {
  replies: readonly StoredReply[];
  /** False: the store was away, and not every server has had the time to tell it of its own. */
  isWhole: boolean;
}

/**
 * The replies that servers are writing, for servers that come later or have missed something. One
 * is forgotten a lease after its end, or after the last sign of the server that wrote it.
 */
export interface ReplyStore {
  /** What this server says of a reply of its own, in order, before the bus carries it. */
  keep(roomKey: string, event: ReplyEvent): Promise<void>;
  /** Of all servers; undefined where the store can't be reached. */
  list(roomKey: string): Promise<StoredReplies | undefined>;
  /** Renews nothing any more. */
  close(): void;
}
