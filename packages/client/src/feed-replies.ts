import type { ReplyInProgress, RoomEvent, RoomMessage } from "@soul-hub/api";

/**
 * A reply in progress, with the text that the client has received. Readers are shown its question
 * with it, unless that is empty: the log then has the question.
 */
export interface StreamingReply extends ReplyInProgress {
  /** True if a delta was missed. The text stops growing until the stored message replaces it. */
  isPartial: boolean;
  /** Id of the newest message when the client learned of the reply. */
  since_id: number;
}

type Replies = readonly StreamingReply[];
export type EventOf<T extends RoomEvent["type"]> = Extract<RoomEvent, { type: T }>;

/** Adds the reply of an `asked` event, unless the client knows the reply. */
export function withAsked(replies: Replies, event: EventOf<"asked">, since_id: number): Replies {
  const { type: _, ...question } = event;
  if (replies.some(({ reply_id }) => reply_id === question.reply_id)) return replies;
  // The event may arrive before the stored message that the reply continues.
  const since = Math.max(since_id, question.parent_id ?? 0);
  return [...replies, { ...question, text: "", isPartial: false, since_id: since }];
}

/** Returns the replies of a `sync` event. A known reply keeps its `since_id`. */
export function syncedReplies(replies: Replies, { replies: synced, head }: EventOf<"sync">) {
  return synced.map((reply): StreamingReply => {
    const known = replies.find(({ reply_id }) => reply_id === reply.reply_id);
    return { ...reply, isPartial: false, since_id: known?.since_id ?? head };
  });
}

export function withDelta(replies: Replies, event: EventOf<"reply-delta">): Replies {
  const { reply_id, offset } = event;
  return replies.map((reply) => {
    if (reply.reply_id !== reply_id || reply.isPartial) return reply;
    if (offset > reply.text.length) return { ...reply, isPartial: true };
    const isKnown = offset + event.text.length <= reply.text.length;
    return isKnown ? reply : { ...reply, text: reply.text.slice(0, offset) + event.text };
  });
}

export const withoutReply = (replies: Replies, replyId: string): Replies =>
  replies.filter(({ reply_id }) => reply_id !== replyId);

/**
 * Returns the replies without the one whose stored message has arrived. That message may arrive
 * before the event `reply-done`. A new question is stored with its reply, so it is the message
 * before the reply in the log. A regeneration continues an earlier question, and a further soul's
 * reply the reply before. If other messages came in between, only `reply-done` ends the latter.
 * @param before the message before the stored one in the log
 */
export function withoutAnswered(
  replies: Replies,
  message: RoomMessage,
  before: RoomMessage | undefined,
): Replies {
  if (message.role !== "assistant") return replies;
  const question = before?.role === "user" && continues(message, before) ? before : undefined;
  const answered = replies.find((reply) => {
    if (reply.regenerates) return reply.regenerates === message.parent_id;
    if (isFurtherReply(reply)) {
      return reply.parent_id === message.parent_id && reply.soul_id === message.made_by?.soul_id;
    }
    return reply.sender_name === question?.sender_name && reply.content === question.content;
  });
  return answered ? withoutReply(replies, answered.reply_id) : replies;
}

/** A message of a hub of the first release has no `parent_id`. It continues the one before. */
const continues = ({ parent_id, prev_id }: RoomMessage, before: RoomMessage): boolean =>
  (parent_id ?? prev_id) === before.id;

/** True for the reply of a further soul to a question that another soul has answered. */
const isFurtherReply = ({ content, regenerates }: ReplyInProgress): boolean =>
  content === "" && !regenerates;
