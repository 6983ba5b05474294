/** A reply that is being made on this server, and how to stop it. */
interface RunningReply {
  roomKey: string;
  askerId: string;
  /** Ends it with that failure. */
  cancel: (code: "cancelled" | "shutting_down") => void;
}

export interface RunningReplies {
  readonly size: number;
  add(replyId: string, reply: RunningReply): void;
  get(replyId: string): RunningReply | undefined;
  remove(replyId: string): void;
  /** For a server that stops: every asker is told. */
  cancelAll(): void;
  /** Aborts then: what is said may still be stored, but not tried again. */
  readonly calledBack: AbortSignal;
}

export function createRunningReplies(): RunningReplies {
  const replies = new Map<string, RunningReply>();
  const calledBack = new AbortController();
  return {
    calledBack: calledBack.signal,
    get size() {
      return replies.size;
    },
    add: (replyId, reply) => void replies.set(replyId, reply),
    get: (replyId) => replies.get(replyId),
    remove: (replyId) => void replies.delete(replyId),
    cancelAll: () => {
      calledBack.abort();
      for (const { cancel } of replies.values()) cancel("shutting_down");
    },
  };
}
