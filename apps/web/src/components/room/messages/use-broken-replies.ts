import type { RoomState } from "@soul-hub/client";
import { useState } from "react";

type Reply = RoomState["replies"][number];

/** A reply that ended before it was whole: stopped, failed, or lost with the hub. */
export interface BrokenReply extends Reply {
  /** Error code of the hub; undefined if the hub sent none. */
  error: string | undefined;
}

/**
 * Keeps the received part of each broken reply until the page is left. The room itself keeps
 * nothing of it.
 */
export function useBrokenReplies({ replies, messages, failed }: RoomState) {
  const [broken, setBroken] = useState<readonly BrokenReply[]>([]);
  const [before, setBefore] = useState(replies);
  // The state changes during rendering: the words stay on the page, so that its end does not move.
  if (before !== replies) {
    setBefore(replies);
    const gone = before.filter(
      (reply) =>
        reply.text !== "" &&
        !replies.some(({ reply_id }) => reply_id === reply.reply_id) &&
        !isAnswered(messages, reply),
    );
    const withError = gone.map((reply) => ({
      ...reply,
      error: failed?.reply_id === reply.reply_id ? failed.error : undefined,
    }));
    if (withError.length > 0) setBroken([...broken, ...withError]);
  }
  return {
    broken,
    dropBroken: (id: string | undefined) =>
      setBroken((all) => all.filter(({ reply_id }) => reply_id !== id)),
  };
}

/** Whether the room has stored the reply. */
function isAnswered(messages: RoomState["messages"], reply: Reply): boolean {
  return messages.some(({ id, role, parent_id, prev_id }) => {
    if (role !== "assistant" || id <= reply.since_id) return false;
    const parent = parent_id === undefined ? prev_id : parent_id;
    if (reply.regenerates) return parent === reply.regenerates;
    const question = messages.find((message) => message.id === parent);
    return question?.sender_name === reply.sender_name && question.content === reply.content;
  });
}
