import { useDisclosure, useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createContext, use, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { me, quota, type Soul } from "../../queries.ts";
import { toast } from "../feedback/toasts.tsx";
import { useDraft } from "./composer/use-draft.ts";
import { useImageChoice } from "./composer/use-image-choice.ts";
import { useImageDrop } from "./composer/use-image-drop.ts";
import { useMessageActions } from "./messages/actions/use-message-actions.ts";
import { useReader } from "./messages/actions/use-reader.ts";
import { useRoomPath } from "./messages/path/use-room-path.ts";
import { type ShownMessage, useOlderMessages } from "./messages/use-older-messages.ts";
import { type NewMessage, type OutboxItem, useOutbox } from "./messages/use-outbox.ts";
import { useStickToBottom } from "./messages/use-stick-to-bottom.ts";
import { useUnread } from "./messages/use-unread.ts";
import { RoomStorage } from "./room-storage.ts";
import { useRoom } from "./use-room.ts";
import { useVisibleHeight } from "./use-visible-height.ts";

export type RoomPage = ReturnType<typeof useRoomPage>;

export const RoomContext = createContext<RoomPage | undefined>(undefined);

/** State and actions of the room that contains the component. */
export function useRoomContext(): RoomPage {
  const page = use(RoomContext);
  if (!page) throw new Error("useRoomContext needs a RoomContext above it.");
  return page;
}

/** State and actions of one room. Its component needs a `key` per room, which resets them. */
export function useRoomPage(soul: Soul, sessionToken: string) {
  // The room is joined after the response with the quota, which sets a guest's cookie. A WebSocket
  // keeps the identity it was opened with.
  const { isFetched: hasCookie, data: left } = useQuery(quota);
  const { isFetched: isIdentified, data: user } = useQuery(me);
  const { room, retryNow } = useRoom(soul.id, sessionToken, hasCookie && isIdentified);
  const isLive = room.connection === "live";
  const username = user?.username;
  const selfName = room.you?.name ?? username;
  const storage = useMemo(
    () => (isIdentified ? new RoomStorage(username, soul.id, sessionToken) : undefined),
    [isIdentified, username, soul.id, sessionToken],
  );

  const [wasMadePrivate, setWasMadePrivate] = useState(false);
  const isPrivate = room.is_private || wasMadePrivate;
  const [wantsPrivate, setWantsPrivate] = useState(false);

  const older = useOlderMessages(soul.id, sessionToken, room.messages);
  const path = useRoomPath(room, older);
  const scroll = useStickToBottom(() => {
    if (path.hasMore && !older.failure) void older.load();
  });
  const unread = useUnread(room.messages, path.shown, scroll.isAtEnd);
  const outbox = useOutbox({
    soulId: soul.id,
    sessionToken,
    room,
    storage,
    onPrivate: () => setWasMadePrivate(true),
    onStored: path.lookAtOwn,
  });
  const reader = useReader(room, selfName, left?.allow_image ?? false);
  const { look: lookAt, lookAtOwn } = path;
  const changes = useMessageActions({ soulId: soul.id, sessionToken, room, lookAtOwn });
  const { stay } = scroll;
  const look = useCallback(
    (id: number) => {
      stay();
      lookAt(id);
    },
    [stay, lookAt],
  );

  const [text, setText] = useDraft(storage);
  const image = useImageChoice();
  const imageDrop = useImageDrop((file) => {
    if (left?.allow_image) return void image.choose(file);
    const title = "Your plan does not include images";
    void toast({ title, message: "Images need a vip or pro pass." });
  });
  const input = useRef<HTMLTextAreaElement>(null);
  const [isDrawerOpen, drawer] = useDisclosure();
  const [dialog, setDialog] = useState<"memory" | "changes" | "title">();
  useVisibleHeight();
  const unreadMark = unread.isAway && unread.count > 0 ? `(${unread.count}) ` : "";
  useDocumentTitle(`${unreadMark}${soul.title} · Soul Hub`);

  const wasLive = useRef(false);
  useEffect(() => {
    if (!isLive || wasLive.current) return;
    wasLive.current = true;
    // On a phone the composer gets no focus, because the keyboard would cover the messages.
    if (matchMedia("(pointer: fine)").matches) input.current?.focus();
  }, [isLive]);

  const cancellable =
    room.replies.find(({ sender_name }) => sender_name === selfName) ??
    (room.you?.is_owner ? room.replies.at(-1) : undefined);
  const cancelReply = (reply_id: string) =>
    hub.chat.cancel.mutate({ reply_id }).catch((error: unknown) => {
      const { title, hint } = failureOf(error);
      void toast({ color: "red", title, message: hint });
    });

  const hasMessages = older.messages.length > 0 || room.messages.length > 0;
  const write = (draft: string) => {
    setText(draft);
    input.current?.focus();
  };
  return {
    soul,
    sessionToken,
    room,
    retryNow,
    isLive,
    isGuest: user === null,
    /** The reader owns the room and has an account, which changes of the room need. */
    isOwner: room.you?.is_owner === true && username !== undefined,
    selfName,
    left,
    older,
    path,
    /** Shows the branch of a message, which takes the place of the one that the reader sees. */
    look,
    reader,
    ...changes,
    scroll,
    unread,
    outbox,
    text,
    setText,
    image,
    imageDrop,
    input,
    isDrawerOpen,
    drawer,
    dialog,
    setDialog,
    isPrivate,
    wantsPrivate,
    setWantsPrivate,
    /** The owner can make the room private, or anyone while the room has no message. */
    canSetPrivate: room.you?.is_owner === true || (isLive && !hasMessages),
    isEmpty: isLive && !hasMessages && room.replies.length === 0 && outbox.shown.length === 0,
    /**
     * Stops the reply to the reader's own question, or for the owner the newest reply. Undefined if
     * there is no such reply in progress.
     */
    stopReply: cancellable && (() => void cancelReply(cancellable.reply_id)),
    /** Puts a draft into the composer and focuses it. */
    write,
    /** Only the owner can continue another branch than the room's path. */
    maySend: !path.isElsewhere || reader.isOwner,
    send(message: Pick<NewMessage, "content" | "image" | "deepThink">) {
      setText("");
      image.put(undefined);
      unread.clearMark();
      scroll.toEnd();
      const { parentId } = path;
      void outbox.send({ ...message, isPrivate: wantsPrivate && !isPrivate, parentId });
    },
    /** Asks a question with another text, beside the former one. */
    askRewritten({ id }: ShownMessage, content: string) {
      const parentId = path.tree.parents.get(id);
      const rest = { image: undefined, isPrivate: false, deepThink: false };
      return outbox.send({ content, ...rest, parentId });
    },
    resend(item: OutboxItem) {
      outbox.remove(item.key);
      void outbox.send(item);
    },
    /** Moves an unsent message back into the composer. */
    edit(item: OutboxItem) {
      outbox.remove(item.key);
      image.put(item.image);
      write(item.content);
    },
    sendTyping() {
      // A failed call is ignored, because typing events are only a hint for other participants.
      hub.rooms.typing.mutate({ soul_id: soul.id, session_token: sessionToken }).catch(() => {});
    },
  };
}
