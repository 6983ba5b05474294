import type { FailureCode } from "../errors.ts";
import type { ReplyEvent, ReplyQuestion } from "./room-events.ts";
import type { Cancel, RoomTimers } from "./room-timers.ts";

/** Streams one reply into its room. What comes after `done` or `fail` is ignored. */
export interface ReplyWriter {
  /** Gathered: many tokens leave as one event. */
  delta(text: string): void;
  /** The text is whole: what is still gathered leaves now, before the reply's messages. */
  flush(): void;
  /** Call after the reply's messages were published, with the id of the reply's own. */
  done(messageId: number): void;
  fail(error: FailureCode): void;
}

interface WriterOptions {
  timers: RoomTimers;
  gatherMs: number;
  /** `after`: the message that the event must not overtake. */
  publish: (event: ReplyEvent, after: number) => void;
}

export function writeReply(question: ReplyQuestion, options: WriterOptions): ReplyWriter {
  const { reply_id, sender_name, content } = question;
  const { timers, gatherMs, publish } = options;
  let offset = 0;
  let gathered = "";
  let cancelFlush: Cancel | undefined;
  let ended = false;

  function flush(): void {
    cancelFlush?.();
    cancelFlush = undefined;
    if (gathered === "") return;
    const text = gathered;
    gathered = "";
    publish({ type: "reply-delta", reply_id, offset, text }, 0);
    offset += text.length;
  }

  function end(event: ReplyEvent, after: number): void {
    if (ended) return;
    ended = true;
    flush();
    publish(event, after);
  }

  publish({ type: "asked", reply_id, sender_name, content }, 0);
  return {
    delta(text) {
      if (ended || text === "") return;
      gathered += text;
      cancelFlush ??= timers.after(gatherMs, flush);
    },
    flush,
    done: (id) => end({ type: "reply-done", reply_id, id }, id),
    fail: (error) => end({ type: "reply-failed", reply_id, error }, 0),
  };
}
