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

/**
 * Keeps the received part of each broken reply until the page is left. The room itself keeps
 * nothing of it. Of a further soul also a reply without a word is kept: its question stays in the
 * room, which would not show that the soul failed.
 */
export function useBrokenReplies(room: RoomState) {
  const { replies, messages, failed, log } = room;
  const [broken, setBroken] = useState<readonly BrokenReply[]>([]);
  const [before, setBefore] = useState({ replies, failed, log });
  // The state changes during rendering: the words stay on the page, so that its end does not move.
  const isChanged = before.replies !== replies || before.failed !== failed;
  if (before.log !== log) {
    // The conversation was deleted, and every word of it.
    setBefore({ replies, failed, log });
    setBroken([]);
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
  const latest = useRef(room);
  useLayoutEffect(() => {
    latest.current = room;
  });
  const dropped = useRef(new Set<string>());
  return {
    broken,
    dropBroken(id: string | undefined) {
      if (id !== undefined) dropped.current.add(id);
      setBroken((all) => all.filter(({ reply_id }) => reply_id !== id));
    },
    /** Adds the souls that failed to answer the reader, or why they failed. */
    addFailed(souls: readonly FailedReply[]) {
      const added = souls
        .filter(({ reply_id }) => reply_id === null || !dropped.current.has(reply_id))
        .map((soul) => withoutWords(soul, latest.current));
      setBroken((all) => withKnown(all, added));
    },
  };
}

function withoutWords(
  { soul_id, title, reply_id, error }: FailedReply,
  { messages, you }: RoomState,
): BrokenReply {
  const since_id = messages.at(-1)?.id ?? 0;
  return {
    reply_id: reply_id ?? `${soul_id}/${since_id}`,
    soul_id,
    title,
    sender_name: you?.name ?? "",
    content: "",
    text: "",
    isPartial: false,
    since_id,
    error,
  };
}

/** Adds replies. Of one that is known, only a missing error is added. */
function withKnown(
  all: readonly BrokenReply[],
  added: readonly BrokenReply[],
): readonly BrokenReply[] {
  const byId = (id: string) => (one: BrokenReply) => one.reply_id === id;
  const amended = all.map((one) => ({
    ...one,
    error: one.error ?? added.find(byId(one.reply_id))?.error,
  }));
  return [...amended, ...added.filter(({ reply_id }) => !all.some(byId(reply_id)))];
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
