import type { RoomState } from "@soul-hub/client";
import { useLayoutEffect, useRef, useState } from "react";
import { type Failure, failureFor, failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { queryClient, quota } from "../../queries.ts";
import type { ChosenImage } from "./prepare-image.ts";

export interface NewLine {
  content: string;
  image: ChosenImage | undefined;
  isPrivate: boolean;
  deepThink: boolean;
}

export interface OutboxItem extends NewLine {
  key: number;
  status: "sending" | "sent" | "failed";
  failure: Failure | undefined;
  /** Set once the room shows the question itself. */
  replyId: string | undefined;
  /** The newest message of the room when this was sent. */
  sentAfter: number;
}

interface OutboxOptions {
  soulId: number;
  sessionToken: string;
  room: RoomState;
  onPrivate: () => void;
}

/** What we said and the room does not show yet, or never will. Nothing typed is ever lost. */
export function useOutbox({ soulId, sessionToken, room, onPrivate }: OutboxOptions) {
  const [items, setItems] = useState<readonly OutboxItem[]>([]);
  const nextKey = useRef(1);

  const update = (key: number, part: Partial<OutboxItem>) =>
    setItems((before) => before.map((item) => (item.key === key ? { ...item, ...part } : item)));
  const remove = (key: number) => setItems((before) => before.filter((item) => item.key !== key));

  const send = async (line: NewLine) => {
    const key = nextKey.current++;
    const sentAfter = room.messages.at(-1)?.id ?? 0;
    const start = { status: "sending", failure: undefined, replyId: undefined } as const;
    setItems((before) => [...before, { ...line, ...start, key, sentAfter }]);
    try {
      await hub.chat.send.mutate({
        soul_id: soulId,
        session_token: sessionToken,
        content: line.content,
        image: line.image?.dataUri ?? null,
        is_private: line.isPrivate,
        deep_think: line.deepThink,
      });
      update(key, { status: "sent" });
      if (line.isPrivate) onPrivate();
    } catch (error) {
      update(key, { status: "failed", failure: failureOfSending(error, line.isPrivate) });
    }
    void queryClient.invalidateQueries({ queryKey: quota.queryKey });
  };

  // Before the paint, so that no line is seen twice when the room takes it over.
  useLayoutEffect(() => {
    for (const item of items) {
      // A call that broke off may have arrived: the room knows.
      if (item.status === "failed" && !isUnsure(item)) continue;
      const asked = room.replies.find(
        ({ reply_id, content, sender_name }) =>
          content === shownContent(item) &&
          sender_name === room.you?.name &&
          !items.some(({ replyId }) => replyId === reply_id),
      );
      if (!item.replyId && asked) update(item.key, { replyId: asked.reply_id });
      if (item.status !== "sending" && isStored(room, item)) remove(item.key);
    }
  });

  return {
    send,
    remove,
    /** Those that the room itself does not show. */
    shown: items.filter((item) => !isShown(room, item)),
    /** The picture that a question of ours came with, while its reply is being written. */
    imageOf: (reply_id: string) => items.find(({ replyId }) => replyId === reply_id)?.image,
  };
}

/** No answer came back: the message may stand in the room, or never have reached it. */
export const isUnsure = ({ failure }: OutboxItem): boolean => failure?.code === "offline";

/** As the room keeps it: the picture itself is not kept. */
const shownContent = ({ content, image }: OutboxItem): string =>
  image ? [content, "[image]"].filter(Boolean).join("\n\n") : content;

const isStored = ({ messages, you }: RoomState, item: OutboxItem): boolean =>
  messages.some(
    ({ id, role, sender_name, content }) =>
      id > item.sentAfter &&
      role === "user" &&
      sender_name === you?.name &&
      content === shownContent(item),
  );

function isShown(room: RoomState, item: OutboxItem): boolean {
  if (item.status === "failed" && !isUnsure(item)) return false;
  const isAsked = room.replies.some(({ reply_id }) => reply_id === item.replyId);
  return isAsked || isStored(room, item);
}

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
