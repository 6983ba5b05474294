import type { RoomState } from "@soul-hub/client";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { type Failure, failureFor, failureOf } from "../../../../failures.ts";
import { invalidate, mutedIn, quota, type RoomName } from "../../../../queries.ts";
import { withImageMark } from "../../../ui/image-mark.ts";
import type { ChosenImage } from "../../prepare-image.ts";
import type { MessageKind, RoomStorage, StoredMessage } from "../../room-storage.ts";
import { deliver, type FailedReply, type NewMessage } from "./deliver.ts";

export interface OutboxItem extends Omit<StoredMessage, "code" | "kind"> {
  kind: MessageKind;
  /** `waiting`: the reply to the reader's message before has not ended. */
  status: "waiting" | "sending" | "sent" | "failed";
  failure: Failure | undefined;
  /**
   * The message's image. Undefined after a reload even if `hasImage` is true, because images are
   * not stored.
   */
  image: ChosenImage | undefined;
  /** Id of the reply to this message; set once the room shows the question. */
  replyId: string | undefined;
  /** Id of the stored message, or of its first reply; set once the page knows either. */
  messageId?: number;
}

type Written = Omit<OutboxItem, "status" | "failure" | "replyId">;

interface OutboxOptions {
  roomName: RoomName;
  room: RoomState;
  /**
   * Storage of the draft and the unsent messages; undefined until the reader's account is known.
   */
  storage: RoomStorage | undefined;
  /** The message that a new one continues; undefined for the end of the room's path. */
  parentId: number | undefined;
  /** Returns the end of the branch with a message; undefined for the end of the room's path. */
  endOf: (id: number) => number | undefined;
  /** Called after one of the reader's messages has made the room private. */
  onPrivate: () => void;
  /** Called with the id of each stored reply, and of each message without one. */
  onStored: (id: number) => void;
  /** Called after a question that no soul answered, because it addressed none. */
  onUnanswered: () => void;
  /** Called with the souls of a question that failed after another one had replied. */
  onFailedReplies: (failed: readonly FailedReply[]) => void;
  /** Called with the id of the reader's stored message and its image. */
  onStoredImage: (id: number, image: ChosenImage) => void;
}

/** The reader's own messages that the room doesn't show yet: they are being sent or have failed. */
export function useOutbox(options: OutboxOptions) {
  const { roomName, room, storage, parentId: end, onPrivate, onStored, onStoredImage } = options;
  const { endOf, onUnanswered, onFailedReplies } = options;
  const [items, setItems] = useState<readonly OutboxItem[]>([]);
  const restored = useRef<RoomStorage>(undefined);
  /** Ids of the replies to messages of this page, also after such a message was taken away. */
  const ownReplies = useRef(new Set<string>());
  /**
   * Contents of this page's questions that no call has stored. A refusal may overtake the room's
   * news of the question, and the reader may take the message away before the news arrives.
   */
  const asked = useRef(new Set<string>());
  /** Keys of waiting messages that were sent, also before the page is rendered again. */
  const begun = useRef(new Set<number>());
  const isLive = room.connection === "live";
  const isAsking =
    room.replies.some(({ sender_name }) => sender_name === room.you?.name) ||
    items.some(({ status, kind }) => status === "sending" && kind === "question");
  const waiting = items.find(({ status }) => status === "waiting");
  /** Whether the hub may have accepted a message before whose call got no response. */
  const isUnclear = items.some((item) => begun.current.has(item.key) && isUnconfirmed(item));

  const update = (key: number, part: Partial<OutboxItem>) =>
    setItems((before) => before.map((item) => (item.key === key ? { ...item, ...part } : item)));
  const remove = (key: number) => {
    storage?.removeUnsent(key);
    setItems((before) => before.filter((item) => item.key !== key));
  };

  /** @param isAgain whether the reader had sent the message before those that wait */
  const send = async (message: NewMessage, isAgain = false) => {
    const { content, kind, image, isPrivate, deepThink, parentId } = message;
    const key = Math.random();
    const hasImage = image !== undefined;
    const place = { parentId, sentAfter: NOT_SENT };
    const written = { key, content, kind, hasImage, isPrivate, deepThink, ...place };
    // Replies are stored with their questions. The quicker one would come before the other.
    const isBehind = isAsking || (waiting !== undefined && !isAgain);
    const mustWait = kind === "question" && parentId === end && isBehind;
    const item = { ...written, image, failure: undefined, replyId: undefined };
    setItems((before) => [...before, { ...item, status: "waiting" }]);
    if (mustWait) storage?.putUnsent({ ...written, code: WAITING });
    else await begin({ ...written, image });
  };

  const begin = async ({ image, ...written }: Written) => {
    const { key, isPrivate } = written;
    begun.current.add(key);
    const item = { ...written, sentAfter: room.messages.at(-1)?.id ?? 0 };
    const stored = { ...item, code: undefined };
    storage?.putUnsent(stored);
    update(key, { ...item, status: "sending" });
    asked.current.add(storedContent(item));
    try {
      const { message_id, isAnswered, failed } = await deliver(roomName, { ...item, image });
      storage?.removeUnsent(key);
      asked.current.delete(storedContent(item));
      update(key, { status: "sent", messageId: message_id });
      if (isPrivate) onPrivate();
      onStored(message_id);
      if (!isAnswered) onUnanswered();
      if (failed.length > 0) onFailedReplies(failed);
    } catch (error) {
      const failure = failureOfSending(error, isPrivate);
      storage?.putUnsent({ ...stored, code: failure.code });
      update(key, { status: "failed", failure });
      if (failure.code === "muted") void invalidate(mutedIn(roomName).queryKey);
    }
    void invalidate(quota.queryKey);
  };

  useEffect(() => {
    // Once the room is live again, it shows a lost message or its reply, if the hub has either.
    if (!isLive) for (const item of items) if (isUnconfirmed(item)) begun.current.delete(item.key);
    if (!waiting || !isLive || isAsking || isUnclear || begun.current.has(waiting.key)) return;
    const { status, failure, replyId, ...written } = waiting;
    // The message continues the reply for which it has waited, whichever branch the reader sees now.
    void begin({ ...written, parentId: written.parentId && endOf(written.parentId) });
  });

  // Unsent messages of an earlier visit wait until the room is up to date. Only then does the room
  // show which of them have arrived.
  useEffect(() => {
    if (!storage || !isLive || restored.current === storage) return;
    restored.current = storage;
    const stored = storage.read().unsent.map(restore);
    setItems((now) => [
      ...stored.filter(({ key }) => !now.some((item) => item.key === key)),
      ...now,
    ]);
  }, [storage, isLive]);

  // A message waits in each tab that has restored it. The first tab that sends it has it alone.
  useEffect(
    () =>
      storage?.onGone(WAITING, (gone) =>
        setItems((now) => now.filter(({ key }) => begun.current.has(key) || !gone.includes(key))),
      ),
    [storage],
  );

  // This effect runs before paint, so that no message is shown by both the room and the outbox.
  useLayoutEffect(() => {
    // The reply to a refused message may have begun and failed between two renderings.
    const failed = room.failed ? [room.failed] : [];
    for (const item of items) {
      if (item.status === "waiting") continue;
      // A message that the hub refused never arrives. A message whose call got no response may have
      // arrived.
      const isRefused = item.status === "failed" && !isUnconfirmed(item);
      const reply = (isRefused ? failed : room.replies).find(
        ({ reply_id, content, sender_name }) =>
          content === storedContent(item) &&
          sender_name === room.you?.name &&
          !items.some(({ replyId }) => replyId === reply_id),
      );
      if (!item.replyId && reply) {
        ownReplies.current.add(reply.reply_id);
        update(item.key, { replyId: reply.reply_id });
      }
      if (isRefused) continue;
      const stored = findStored(room, item);
      if (stored && item.image) onStoredImage(stored.id, item.image);
      if (stored && item.status !== "sending") remove(item.key);
      else if (stored && item.messageId === undefined) update(item.key, { messageId: stored.id });
    }
  });

  return {
    send,
    remove,
    isUnclear,
    /** Messages of the outbox that the room itself doesn't show. */
    shown: items.filter((item) => !isShown(room, item)),
    /** Whether a reply was to a message that was sent from this page. */
    isOwnReply: ({ reply_id, sender_name, content }: RoomState["replies"][number]) =>
      ownReplies.current.has(reply_id) ||
      (sender_name === room.you?.name && asked.current.has(content)),
    /** Returns the reader's question while its reply is being written. */
    questionOf: (reply_id: string) => items.find(({ replyId }) => replyId === reply_id),
  };
}

/**
 * Whether the call that sent the message got no response. The hub may have accepted the message or
 * not.
 */
export const isUnconfirmed = ({ failure }: OutboxItem): boolean => failure?.code === "offline";

/** The code of a stored message that still waits. The hub has no such code. */
const WAITING = "waiting";
/** `sentAfter` of a message that was not sent yet: it stays below all others. */
export const NOT_SENT = Number.MAX_SAFE_INTEGER;

/** The texts for an unconfirmed message once the connection is back. */
export const notConfirmed = {
  title: "This message may not have been sent",
  hint: "The connection ended before the hub confirmed it.",
};

/** The content that the room stores for a message: `[image]` replaces the image (decisions §5). */
const storedContent = ({ content, hasImage }: Pick<OutboxItem, "content" | "hasImage">): string =>
  hasImage ? withImageMark(content) : content;

/** Finds an edited message by its id. Until the page knows that, the content tells the message. */
function findStored({ messages, you }: RoomState, item: OutboxItem) {
  const byId = (wanted: number | null | undefined) => messages.find(({ id }) => id === wanted);
  const stored = byId(item.messageId);
  if (stored) return stored.role === "user" ? stored : (byId(stored.parent_id) ?? stored);
  return messages.find(
    ({ id, role, sender_name, content, audience }) =>
      id > item.sentAfter &&
      role === "user" &&
      sender_name === you?.name &&
      (audience === "people") === (item.kind === "off-record") &&
      content === storedContent(item),
  );
}

function isShown(room: RoomState, item: OutboxItem): boolean {
  if (item.status === "waiting" || (item.status === "failed" && !isUnconfirmed(item))) return false;
  const hasReply = room.replies.some(({ reply_id }) => reply_id === item.replyId);
  return hasReply || findStored(room, item) !== undefined;
}

/** Restores a message of an earlier visit. A message without a response counts as unconfirmed. */
function restore({ code = "offline", kind, ...message }: StoredMessage): OutboxItem {
  const title = code === WAITING ? "This message was not sent yet." : "This message was not sent.";
  const failure = failureFor(code, { error: code }, title);
  return {
    ...message,
    kind: kind ?? "question",
    image: undefined,
    status: "failed",
    failure: code === "offline" ? { ...failure, ...notConfirmed } : failure,
    replyId: undefined,
  };
}

function failureOfSending(error: unknown, isPrivate: boolean): Failure {
  const failure = failureOf(error);
  if (failure.code !== "private_session" || !isPrivate) return failure;
  return {
    ...failureFor("private_session"),
    title: "Only the room's owner can make it private",
    hint: "Your message was not sent. Turn “Private” off to send it to everyone here.",
  };
}
