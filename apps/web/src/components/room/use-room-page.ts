import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { invalidate, me, mutedIn, quota, type RoomSoul } from "../../queries.ts";
import { toast, toastFailure } from "../feedback/toasts.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { useDraft } from "./composer/use-draft.ts";
import { useImageChoice } from "./composer/use-image-choice.ts";
import { useImageDrop } from "./composer/use-image-drop.ts";
import { useUnansweredHint } from "./composer/use-unanswered-hint.ts";
import { loadMessageMenu } from "./messages/actions/load-message-menu.ts";
import { isOwn, mayRewrite, useReader } from "./messages/actions/reader.ts";
import type { OpenMenu, ToolRequest } from "./messages/actions/tools.ts";
import { useMessageActions } from "./messages/actions/use-message-actions.ts";
import { useRoomPath } from "./messages/path/use-room-path.ts";
import type { NewMessage } from "./messages/unsent/deliver.ts";
import { useBrokenReplies } from "./messages/unsent/use-broken-replies.ts";
import { type OutboxItem, useOutbox } from "./messages/unsent/use-outbox.ts";
import { useSentImages } from "./messages/unsent/use-sent-images.ts";
import { useUnsent } from "./messages/unsent/use-unsent.ts";
import { type ShownMessage, useOlderMessages } from "./messages/use-older-messages.ts";
import { useOpening } from "./messages/use-opening.ts";
import { useStickToBottom } from "./messages/use-stick-to-bottom.ts";
import { useStopReply } from "./messages/use-stop-reply.ts";
import { useUnread } from "./messages/use-unread.ts";
import type { RoomDialog } from "./room-dialog.ts";
import { RoomStorage } from "./room-storage.ts";
import { usePanel } from "./side/use-panel.ts";
import { useSilence } from "./silence/use-silence.ts";
import { useQuota } from "./use-quota.ts";
import { useRoom } from "./use-room.ts";
import { useVisibleHeight } from "./use-visible-height.ts";

declare module "./room-context.ts" {
  interface RoomPage extends ReturnType<typeof useRoomPage> {}
}

/** State and actions of one room. Its component needs a `key` per room, which resets them. */
export function useRoomPage(soul: RoomSoul, sessionToken: string) {
  // The room is joined after the response with the quota, which sets a guest's cookie. A WebSocket
  // keeps the identity it was opened with.
  const { isFetched: hasCookie } = useQuery(quota);
  const { isFetched: isIdentified, data: user } = useQuery(me);
  const { room, retryNow, rejoin } = useRoom(soul.id, sessionToken, hasCookie && isIdentified);
  const roomName = useMemo(
    () => ({ soul_id: soul.id, session_token: sessionToken }),
    [soul.id, sessionToken],
  );
  // Another tab of this browser may have signed in: the room then has another identity.
  const isStale = isIdentified && room.you !== undefined && !user !== (room.you.kind === "guest");
  useEffect(() => {
    if (isStale) void invalidate(me.queryKey);
  }, [isStale]);
  const isLive = room.connection === "live";
  const username = user?.username;
  const selfName = room.you?.name ?? username;
  const left = useQuota(room, selfName);
  const storage = useMemo(
    () => (isIdentified ? new RoomStorage(username, soul.id, sessionToken) : undefined),
    [isIdentified, username, soul.id, sessionToken],
  );

  /** The log that the reader has made private. After a deletion, the room is public again. */
  const [privateLog, setPrivateLog] = useState<number>();
  const isPrivate = room.is_private || privateLog === room.log;
  const [wantsPrivate, setWantsPrivate] = useState(false);

  const older = useOlderMessages(roomName, room.messages);
  const path = useRoomPath(room, older);
  const scroll = useStickToBottom(path.shown[0]?.id, () => {
    if (path.hasMore && !older.failure) void older.load();
  });
  const { look: lookAt, lookAtOwn } = path;
  const { stay } = scroll;
  const look = useCallback(
    (id: number) => {
      stay();
      lookAt(id);
    },
    [stay, lookAt],
  );
  const opening = useOpening({ room, path, older, scroll, look, isAccount: Boolean(user) });
  const isWatching = scroll.isAtEnd && !opening.isOpening;
  const unread = useUnread(room, path.shown, selfName, isWatching);
  const { images, keepImage } = useSentImages(`${username}/${soul.id}/${sessionToken}`);
  const { broken, dropBroken, addFailed } = useBrokenReplies(room);
  const unanswered = useUnansweredHint();
  const outbox = useOutbox({
    roomName,
    room,
    storage,
    parentId: path.parentId,
    endOf: path.endOf,
    onPrivate: () => setPrivateLog(room.log),
    onStored: path.lookAtOwn,
    onStoredImage: keepImage,
    onUnanswered: unanswered.show,
    onFailedReplies: addFailed,
  });
  const { unsent, places: unsentPlaces } = useUnsent({
    path: path.shown,
    selfName,
    outbox,
    broken,
    pending: path.pending.flatMap(({ reply, replaced }) =>
      replaced.length === 0 && reply.sender_name === selfName ? reply : [],
    ),
  });
  const removeUnsent = ({ key, replyId }: OutboxItem) => {
    outbox.remove(key);
    dropBroken(replyId);
  };
  const silence = useSilence({ room, name: roomName });
  const isWithdrawn = silence?.by === "soul";
  const isOwner = room.you?.is_owner === true && username !== undefined;
  const reader = useReader(room, selfName, {
    mayTalk: room.you !== undefined && silence === undefined,
    mayAsk: left?.daily_remaining !== 0,
    allowsImage: left?.allow_image ?? false,
  });
  const changes = useMessageActions({ roomName, room, lookAtOwn });

  const [draft, setDraft] = useDraft(storage);
  const image = useImageChoice();
  const imageDrop = useImageDrop((file) => {
    if (draft.kind !== "question") {
      const title = "Only a question to the soul has an image";
      return void toast({ title, message: "Turn “No reply” and “Off the record” off to send it." });
    }
    if (left?.allow_image) return void image.choose(file);
    const title = "Your plan does not include images";
    void toast({ title, message: "Images need a vip or pro pass." });
  });
  const input = useRef<HTMLTextAreaElement>(null);
  const [toolRequest, openTool] = useState<ToolRequest>();
  // A message takes the request when it renders. One that is rendered anew would take it again.
  useEffect(() => openTool(undefined), [toolRequest]);
  const [menu, setMenu] = useState<OpenMenu>();
  const openMenu = useCallback(
    (wanted: OpenMenu) => void loadMessageMenu().then(() => setMenu(wanted), toastFailure),
    [],
  );
  const panel = usePanel();
  const [opened, setOpened] = useState<{ dialog?: RoomDialog; shareEnd?: number }>({});
  useVisibleHeight();
  // A guest's number counts messages: a guest has no list of rooms.
  const isNew = unread.isAway && unread.count > 0;
  usePageTitle(`${soul.title} · Soul Hub`, isNew ? (username ? 1 : unread.count) : 0);

  const isDeleted = room.log > 0 && room.messages.length === 0;
  useEffect(() => {
    if (isDeleted) void toast({ message: "The owner deleted this conversation." });
  }, [isDeleted]);
  const wasLive = useRef(false);
  useEffect(() => {
    if (!isLive || wasLive.current) return;
    wasLive.current = true;
    // On a phone the composer gets no focus, because the keyboard would cover the messages.
    if (matchMedia("(pointer: fine)").matches) input.current?.focus();
  }, [isLive]);

  const { stopOf, stopReply } = useStopReply(room, selfName);
  const hasMessages = older.messages.length > 0 || room.messages.length > 0;
  // The sender of the first message owns the room, also while its reply is being written.
  const isTaken = room.replies.some(({ sender_name }) => sender_name !== selfName);
  const mayOwn = isLive && !hasMessages && !isTaken;
  const write = (text: string, kind = draft.kind, before = draft.text) => {
    setDraft({ text: [before.trim(), text].filter(Boolean).join("\n\n"), kind });
    input.current?.focus();
  };
  return {
    soul,
    sessionToken,
    roomName,
    room,
    retryNow,
    /** Joins again with the present cookies, after a guest has chosen a name. */
    rejoin,
    /** Why the reader may not talk; undefined if the reader may. */
    silence,
    isLive,
    isGuest: user === null,
    /** The reader owns the room and has an account, which changes of the room need. */
    isOwner,
    /** Without its soul, a room is only read, exported and deleted. */
    isWithdrawn,
    mayChange: isOwner && !isWithdrawn,
    /** Shares of a private or gated soul show nothing. */
    mayShare: isOwner && !isWithdrawn && soul.is_public === 1 && !soul.nft_contract,
    selfName,
    left,
    older,
    path,
    /** Shows the branch of a message, which takes the place of the one that the reader sees. */
    look,
    reader,
    ...changes,
    scroll,
    opening,
    unread,
    outbox,
    draft,
    setDraft,
    /** Whether to tell that no soul answers an unaddressed message. */
    unanswered,
    image,
    imageDrop,
    input,
    panel,
    ...opened,
    /** @param shareEnd the message at which a new read-only link ends, for `share` */
    setDialog: (dialog?: RoomDialog, shareEnd?: number) =>
      setOpened({ ...(dialog && { dialog }), ...(shareEnd && { shareEnd }) }),
    /** The open menu of a message. */
    menu,
    openMenu,
    closeMenu: () => setMenu(undefined),
    /** Removes the draft and the unsent messages from this browser. */
    forgetUnsent: () => storage?.clear(),
    isPrivate,
    wantsPrivate,
    setWantsPrivate,
    /** The owner can make the room private, or anyone before its first message. */
    canSetPrivate: !isWithdrawn && (room.you?.is_owner === true || mayOwn),
    isEmpty: isLive && !hasMessages && room.replies.length === 0 && unsent.length === 0,
    stopOf,
    stopReply,
    broken,
    dropBroken,
    unsent,
    /** Ids of the messages below which something unsent is shown. */
    unsentPlaces,
    removeUnsent,
    /** The reader's own images, by message. */
    images,
    /** Asks a message to open a tool. */
    toolRequest,
    openTool,
    /** Opens the editor of the reader's own last message; without one, nothing happens. */
    editLast() {
      const last = path.shown.findLast((line) => isOwn(line, reader));
      if (!last || last.removed || !mayRewrite(last, reader, path.lastQuestion)) return false;
      openTool({ id: last.id, tool: "edit", onClose: () => input.current?.focus() });
      return true;
    },
    /** Puts a text below the draft of the composer, or another text, and focuses it. */
    write,
    /** Only the owner can continue another branch than the room's path. */
    maySend: !path.isElsewhere || reader.isOwner,
    send(message: Pick<NewMessage, "content" | "image" | "deepThink">) {
      const { kind } = draft;
      setDraft({ text: "" });
      // Only a question has an image. That of another message stays for the next question.
      if (kind === "question") image.put(undefined);
      unanswered.hide();
      unread.clearMark();
      scroll.toEnd();
      const { parentId } = path;
      void outbox.send({ ...message, kind, isPrivate: wantsPrivate && !isPrivate, parentId });
    },
    /** Asks a question with another text, beside the former one. */
    askRewritten({ id }: ShownMessage, content: string) {
      const parentId = path.tree.parents.get(id);
      const rest = { image: undefined, isPrivate: false, deepThink: false } as const;
      return outbox.send({ content, kind: "question", ...rest, parentId });
    },
    resend(item: OutboxItem) {
      removeUnsent(item);
      void outbox.send(item, true);
    },
    /** Sends a waiting message at once. No soul replies to it. */
    sendNow(item: OutboxItem) {
      removeUnsent(item);
      void outbox.send({ ...item, kind: "remark", deepThink: false });
    },
    /** Moves an unsent message back into the composer. */
    edit(item: OutboxItem) {
      removeUnsent(item);
      if (item.kind === "question") image.put(item.image);
      write(item.content, item.kind);
    },
    sendTyping() {
      // Typing events are only a hint for other participants. A refused one shows that the reader
      // is muted.
      hub.rooms.typing.mutate(roomName).catch((error: unknown) => {
        if (failureOf(error).code === "muted") void invalidate(mutedIn(roomName).queryKey);
      });
    },
  };
}
