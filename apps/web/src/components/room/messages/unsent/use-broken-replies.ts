import type { RoomState } from "@soul-hub/client";
import { useLayoutEffect, useRef, useState } from "react";
import type { FailedReply } from "./deliver.ts";

type Reply = RoomState["replies"][number];

/** A reply that ended before it was whole: stopped, failed, or lost with the hub. */
export interface BrokenReply extends Reply {
  /** Error code of the hub; undefined if the hub sent none. */
  error: string | undefined;
  /** Title of the soul, of a reply that did not begin: the soul may have left the room. */
  title?: string;
}

/** True for the reply of a further soul to a question that another soul has answered (0041). */
export const isFurther = ({ content, regenerates }: Pick<Reply, "content" | "regenerates">) =>
  content === "" && !regenerates;

interface BrokenReplies {
  shown: readonly BrokenReply[];
  /** Ids of the replies that the reader removed. The room's news of one may arrive afterwards. */
  removed: ReadonlySet<string>;
}

const NONE: BrokenReplies = { shown: [], removed: new Set() };

/**
 * Keeps the received part of each broken reply until the page is left. The room itself keeps
 * nothing of it. Of a further soul also a reply without a word is kept: its question stays in the
 * room, which would not show that the soul failed.
 */
export function useBrokenReplies(room: RoomState) {
  const { replies, messages, failed, log } = room;
  const [broken, setBroken] = useState(NONE);
  const [before, setBefore] = useState({ replies, failed, log });
  // The state changes during rendering: the words stay on the page, so that its end does not move.
  const isChanged = before.replies !== replies || before.failed !== failed;
  if (before.log !== log) {
    // The conversation was deleted, and every word of it.
    setBefore({ replies, failed, log });
    setBroken(NONE);
  } else if (isChanged) {
    setBefore({ replies, failed, log });
    // A reply may have got its last words and failed between two renderings.
    const isNews = failed !== undefined && failed !== before.failed;
    const known = before.replies.filter(({ reply_id }) => reply_id !== failed?.reply_id);
    const gone = [...known, ...(isNews ? [failed] : [])].filter(
      (reply) =>
        (reply.text !== "" || isFurther(reply)) &&
        !replies.some(({ reply_id }) => reply_id === reply.reply_id) &&
        !isAnswered(messages, reply),
    );
    const withError = gone.map((reply) => ({
      ...reply,
      error: failed?.reply_id === reply.reply_id ? failed.error : undefined,
    }));
    if (withError.length > 0) setBroken((all) => withKnown(all, withError));
  }
  // The call with a question ends many renderings later.
  const you = useRef(room.you);
  useLayoutEffect(() => {
    you.current = room.you;
  });
  return {
    broken: broken.shown,
    dropBroken(id: string | undefined) {
      if (id === undefined) return;
      setBroken(({ shown, removed }) => ({
        shown: shown.filter(({ reply_id }) => reply_id !== id),
        removed: new Set(removed).add(id),
      }));
    },
    /** Adds the souls that failed to answer the reader, or why they failed. */
    addFailed(souls: readonly FailedReply[]) {
      const added = souls.map((soul) => withoutWords(soul, you.current));
      setBroken((all) => withKnown(all, added));
    },
  };
}

/** The response may overtake the room's messages. It therefore names the message above the reply. */
function withoutWords(
  { soul_id, title, reply_id, after, error }: FailedReply,
  you: RoomState["you"],
): BrokenReply {
  return {
    reply_id: reply_id ?? `${soul_id}/${after}`,
    soul_id,
    title,
    sender_name: you?.name ?? "",
    content: "",
    text: "",
    isPartial: false,
    since_id: after,
    error,
  };
}

/** Adds replies, unless the reader removed them. Of one that is known, only an error is added. */
function withKnown(
  { shown, removed }: BrokenReplies,
  added: readonly BrokenReply[],
): BrokenReplies {
  const byId = (id: string) => (one: BrokenReply) => one.reply_id === id;
  const amended = shown.map((one) => ({
    ...one,
    error: one.error ?? added.find(byId(one.reply_id))?.error,
  }));
  const news = added.filter(
    ({ reply_id }) => !removed.has(reply_id) && !shown.some(byId(reply_id)),
  );
  return { shown: [...amended, ...news], removed };
}

/** Whether the room has stored the reply. */
function isAnswered(messages: RoomState["messages"], reply: Reply): boolean {
  return messages.some(({ id, role, parent_id, prev_id, made_by }) => {
    if (role !== "assistant" || id <= reply.since_id) return false;
    // Others may have written in between, so a further reply need not follow the reply before.
    if (isFurther(reply)) return made_by?.soul_id === reply.soul_id;
    const parent = parent_id === undefined ? prev_id : parent_id;
    if (reply.regenerates) return parent === reply.regenerates;
    const question = messages.find((message) => message.id === parent);
    return question?.sender_name === reply.sender_name && question.content === reply.content;
  });
}
