import type { RoomState } from "@soul-hub/client";
import { useLayoutEffect, useRef, useState } from "react";
import { type Failure, failureFor, failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { queryClient, quota } from "../../queries.ts";

export interface OutboxItem {
  key: number;
  content: string;
  isPrivate: boolean;
  status: "sending" | "sent" | "failed";
  failure: Failure | undefined;
  /** Set once the room shows the question itself. */
  replyId: string | undefined;
}

interface OutboxOptions {
  soulId: number;
  sessionToken: string;
  room: RoomState;
  selfName: string | undefined;
  onSelfName: (name: string) => void;
  onPrivate: () => void;
}

/** What we said and the room does not show yet, or never will. Nothing typed is ever lost. */
export function useOutbox(options: OutboxOptions) {
  const { soulId, sessionToken, room, selfName, onSelfName, onPrivate } = options;
  const [items, setItems] = useState<readonly OutboxItem[]>([]);
  const nextKey = useRef(1);

  const update = (key: number, part: Partial<OutboxItem>) =>
    setItems((before) => before.map((item) => (item.key === key ? { ...item, ...part } : item)));
  const remove = (key: number) => setItems((before) => before.filter((item) => item.key !== key));

  const send = async (content: string, isPrivate: boolean) => {
    const key = nextKey.current++;
    const item = {
      key,
      content,
      isPrivate,
      status: "sending",
      failure: undefined,
      replyId: undefined,
    } as const;
    setItems((before) => [...before, item]);
    try {
      await hub.chat.send.mutate({
        soul_id: soulId,
        session_token: sessionToken,
        content,
        is_private: isPrivate,
      });
      update(key, { status: "sent" });
      if (isPrivate) onPrivate();
    } catch (error) {
      update(key, { status: "failed", failure: failureOfSending(error, isPrivate) });
    }
    void queryClient.invalidateQueries({ queryKey: quota.queryKey });
  };

  // Before the paint, so that no line is seen twice when the room takes it over.
  useLayoutEffect(() => {
    for (const item of items) {
      if (item.status === "failed") continue;
      const asked = room.replies.find(
        ({ reply_id, content, sender_name }) =>
          content === item.content &&
          (selfName === undefined || sender_name === selfName) &&
          !items.some(({ replyId }) => replyId === reply_id),
      );
      if (!item.replyId && asked) {
        update(item.key, { replyId: asked.reply_id });
        if (selfName === undefined) onSelfName(asked.sender_name);
      }
      if (item.status === "sent" && isStored(room, item.content)) remove(item.key);
    }
  });

  return {
    send,
    remove,
    /** Those that the room itself does not show. */
    shown: items.filter(({ status, replyId }) => status === "failed" || !replyId),
  };
}

const isStored = ({ messages }: RoomState, content: string) =>
  messages.slice(-50).some((message) => message.role === "user" && message.content === content);

function failureOfSending(error: unknown, isPrivate: boolean): Failure {
  const failure = failureOf(error);
  if (failure.code !== "private_session" || !isPrivate) return failure;
  return {
    ...failureFor("private_session"),
    title: "Only whoever began this room can make it private",
    hint: "Your message was not sent. Switch “Private” off to send it for all to see.",
    way: "none",
  };
}
