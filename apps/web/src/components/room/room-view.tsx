import "./room.css";
import { Button } from "@mantine/core";
import { useDisclosure, useDocumentTitle } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { failureFor, failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { me, quota, type Soul } from "../../queries.ts";
import { DownIcon } from "../icons.tsx";
import { toast } from "../toasts.tsx";
import { Announcer } from "./announcer.tsx";
import { ClosedRoom } from "./closed-room.tsx";
import { Composer } from "./composer.tsx";
import { LostNote } from "./lost-note.tsx";
import { MessageList } from "./message-list.tsx";
import { OutboxLines } from "./outbox-lines.tsx";
import { PrivateSwitch } from "./private-switch.tsx";
import { RoomBar } from "./room-bar.tsx";
import { RoomGreeting } from "./room-greeting.tsx";
import { RoomSide } from "./room-side.tsx";
import { TypingNote } from "./typing-note.tsx";
import { useImageChoice } from "./use-image-choice.ts";
import { useOlderMessages } from "./use-older-messages.ts";
import { useOutbox } from "./use-outbox.ts";
import { usePictureDrop } from "./use-picture-drop.ts";
import { useRoom } from "./use-room.ts";
import { useStickToBottom } from "./use-stick-to-bottom.ts";
import { useUnread } from "./use-unread.ts";
import { useVisibleHeight } from "./use-visible-height.ts";

const PeopleDrawer = lazy(() =>
  import("./people-drawer.tsx").then((module) => ({ default: module.PeopleDrawer })),
);

interface RoomViewProps {
  soul: Soul;
  sessionToken: string;
}

export function RoomView({ soul, sessionToken }: RoomViewProps) {
  // The answer brings the guest's cookie, and a socket is whoever it was when it opened.
  const { isFetched: hasCookie, data: left } = useQuery(quota);
  const { isFetched: isKnown, data: user } = useQuery(me);
  const isGuest = user === null;
  const { room, retryNow } = useRoom(soul.id, sessionToken, hasCookie && isKnown);
  const selfName = room.you?.name ?? user?.username;
  const [madePrivate, setMadePrivate] = useState(false);
  const isPrivate = room.is_private || madePrivate;
  const [wantsPrivate, setWantsPrivate] = useState(false);
  const draft = useRouterState({ select: ({ location }) => location.state.draft });
  const [text, setText] = useState(draft ?? "");
  const picture = useImageChoice();
  const [showsPeople, people] = useDisclosure();
  const input = useRef<HTMLTextAreaElement>(null);
  const log = useOlderMessages(soul.id, sessionToken, room.messages);
  const loadOlder = () => {
    if (log.hasMore && !log.failure) void log.load();
  };
  const { scroller, content, isAtEnd, toEnd } = useStickToBottom(loadOlder);
  const unread = useUnread(room.messages, isAtEnd);
  const onPrivate = () => setMadePrivate(true);
  const outbox = useOutbox({ soulId: soul.id, sessionToken, room, onPrivate });
  const drop = usePictureDrop((file) => {
    if (left?.allow_image) void picture.choose(file);
    else void toast({ title: "Your plan does not include images", message: "vip and pro do." });
  });
  useVisibleHeight();
  const news = unread.isAway && unread.count > 0 ? `(${unread.count}) ` : "";
  useDocumentTitle(`${news}${soul.title} · Soul Hub`);

  const isLive = room.connection === "live";
  const wasLive = useRef(false);
  useEffect(() => {
    if (!isLive || wasLive.current) return;
    wasLive.current = true;
    // On a phone the keyboard would cover the room that somebody came to read.
    if (matchMedia("(pointer: fine)").matches) input.current?.focus();
  }, [isLive]);

  const pick = (line: string) => {
    setText(line);
    input.current?.focus();
  };
  const tellTyping = () => {
    // Only a courtesy: when it fails, nobody misses it.
    hub.rooms.typing.mutate({ soul_id: soul.id, session_token: sessionToken }).catch(() => {});
  };
  const stoppable =
    room.replies.find(({ sender_name }) => sender_name === selfName) ??
    (room.you?.is_owner ? room.replies.at(-1) : undefined);
  const stop = async (reply_id: string) => {
    try {
      await hub.chat.cancel.mutate({ reply_id });
    } catch (error) {
      const { title, hint } = failureOf(error);
      void toast({ color: "red", title, message: hint });
    }
  };

  if (room.connection === "closed" && room.error) {
    const { code, message } = room.error;
    return <ClosedRoom failure={failureFor(code, { error: code }, message)} soul={soul} />;
  }
  const first = log.older[0] ?? room.messages[0];
  const isEmpty = isLive && !first && room.replies.length === 0 && outbox.shown.length === 0;
  const { failed } = room;
  const side = (
    <RoomSide
      room={room}
      soulId={soul.id}
      sessionToken={sessionToken}
      isGuest={isGuest}
      isPrivate={isPrivate}
    />
  );
  return (
    <div className="room">
      <div className="room__main" data-drop={drop.isOver} {...drop.handlers}>
        <RoomBar soul={soul} room={room} isPrivate={isPrivate} onPeople={people.open} />
        <section
          ref={scroller}
          className="room__scroll"
          aria-label="Conversation"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
        >
          <MessageList
            room={room}
            soul={soul}
            selfName={selfName}
            log={log}
            unreadAfter={unread.unreadAfter}
            imageOf={outbox.imageOf}
            isOwnFailure={outbox.shown.some(({ replyId }) => replyId === failed?.reply_id)}
            innerRef={content}
          >
            {isEmpty && <RoomGreeting soul={soul} onPick={pick} />}
            <OutboxLines
              items={outbox.shown}
              soulId={soul.id}
              selfName={selfName}
              isGuest={isGuest}
              isLive={isLive}
              onRetry={(item) => {
                outbox.remove(item.key);
                void outbox.send(item);
              }}
              onEdit={(item) => {
                outbox.remove(item.key);
                picture.put(item.image);
                pick(item.content);
              }}
            />
          </MessageList>
        </section>
        <div className="room__foot">
          {!isAtEnd && (
            <Button
              className="room__newest"
              size="compact-md"
              radius="xl"
              variant={unread.count > 0 ? "filled" : "default"}
              leftSection={<DownIcon size={16} />}
              onClick={() => toEnd("smooth")}
            >
              {unread.count > 0 ? `${unread.count} new` : "Newest"}
            </Button>
          )}
          <TypingNote names={room.typing} />
          {(room.connection === "reconnecting" || room.connection === "connecting") && (
            <LostNote room={room} onRetry={retryNow} />
          )}
          <Composer
            text={text}
            onText={setText}
            picture={picture}
            onSend={(line) => {
              setText("");
              picture.put(undefined);
              unread.forget();
              toEnd();
              void outbox.send({ ...line, isPrivate: wantsPrivate && !isPrivate });
            }}
            onTyping={tellTyping}
            onStop={stoppable && (() => void stop(stoppable.reply_id))}
            inputRef={input}
            title={soul.title}
            isGuest={isGuest}
            extra={
              <PrivateSwitch
                isPrivate={isPrivate}
                wanted={wantsPrivate}
                onChange={setWantsPrivate}
                mayDecide={room.you?.is_owner === true || (isLive && !first)}
              />
            }
          />
        </div>
      </div>
      <aside className="room__aside" aria-label="About this room">
        {side}
      </aside>
      {showsPeople && (
        <Suspense>
          <PeopleDrawer isOpen={showsPeople} onClose={people.close}>
            {side}
          </PeopleDrawer>
        </Suspense>
      )}
      <Announcer messages={room.messages} selfName={selfName} />
    </div>
  );
}
