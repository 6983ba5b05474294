import type { FailureCode } from "../../errors.ts";
import type { ReplyEvent, ReplyQuestion } from "../room-events.ts";
import type { createDeltaBatching } from "./delta-batcher.ts";

/** Streams one reply into its room. Calls after `done` or `fail` are ignored. */
export interface ReplyWriter {
  /** Adds a piece to the reply's text. Pieces are sent in batches. */
  delta(text: string): void;
  /** Sends the remaining text pieces. Call it before publishing the reply's messages. */
  flush(): void;
  /** Ends the reply. Call it after publishing the reply's message, whose id is `messageId`. */
  done(messageId: number): void;
  fail(error: FailureCode): void;
}

interface WriterOptions {
  batchDeltas: ReturnType<typeof createDeltaBatching>;
  /** @param after the id of the message that the event must follow; 0 for none */
  publish: (event: ReplyEvent, after: number) => void;
}

export function writeReply(
  question: ReplyQuestion,
  { batchDeltas, publish }: WriterOptions,
): ReplyWriter {
  const { reply_id } = question;
  let hasEnded = false;
  const deltas = batchDeltas((text, offset) =>
    publish({ type: "reply-delta", reply_id, offset, text }, 0),
  );

  function end(event: ReplyEvent, after: number): void {
    if (hasEnded) return;
    hasEnded = true;
    deltas.flush();
    publish(event, after);
  }

  publish({ type: "asked", ...question }, 0);
  return {
    delta(text) {
      if (!hasEnded) deltas.add(text);
    },
    flush: deltas.flush,
    done: (id) => end({ type: "reply-done", reply_id, id }, id),
    fail: (error) => end({ type: "reply-failed", reply_id, error }, 0),
  };
}
