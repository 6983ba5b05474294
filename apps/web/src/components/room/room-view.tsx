import "./room.css";
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { failureFor, failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { me, quota, type Soul } from "../../queries.ts";
import { DownIcon } from "../icons.tsx";
import { toast } from "../toasts.tsx";
import { Announcer } from "./announcer.tsx";
import { ClosedRoom } from "./closed-room.tsx";
import { Composer } from "./composer.tsx";
import { MessageList } from "./message-list.tsx";
import { OutboxLines } from "./outbox-lines.tsx";
import { PrivateSwitch } from "./private-switch.tsx";
import { RoomBar } from "./room-bar.tsx";
import { RoomGreeting } from "./room-greeting.tsx";
import { RoomSide } from "./room-side.tsx";
import { TypingNote } from "./typing-note.tsx";
import { useOlderMessages } from "./use-older-messages.ts";
import { useOutbox } from "./use-outbox.ts";
import { useRoom } from "./use-room.ts";
import { useSelfName } from "./use-self-name.ts";
import { useStickToBottom } from "./use-stick-to-bottom.ts";

const PeopleDrawer = lazy(() =>
  import("./people-drawer.tsx").then((module) => ({ default: module.PeopleDrawer })),
);

interface RoomViewProps {
  soul: Soul;
  sessionToken: string;
}

export function RoomView({ soul, sessionToken }: RoomViewProps) {
  // The answer brings the guest's cookie, and a socket is whoever it was when it opened.
  const { isFetched: hasCookie } = useQuery(quota);
  const { isFetched: isKnown } = useQuery(me);
  const room = useRoom(soul.id, sessionToken, hasCookie && isKnown);
  const { selfName, isGuest, learn } = useSelfName(room);
  const [isPrivate, setPrivate] = useState(false);
  const [wantsPrivate, setWantsPrivate] = useState(false);
  const [text, setText] = useState("");
  const [showsPeople, people] = useDisclosure();
  const input = useRef<HTMLTextAreaElement>(null);
  const log = useOlderMessages(soul.id, sessionToken, room.messages);
  const { scroller, content, isAtEnd, toEnd } = useStickToBottom(log.older.length);
  const outbox = useOutbox({
    soulId: soul.id,
    sessionToken,
    room,
    selfName,
    onSelfName: learn,
    onPrivate: () => setPrivate(true),
  });

  const isLive = room.connection === "live";
  useEffect(() => {
    // On a phone the keyboard would cover the room that somebody came to read.
    if (isLive && matchMedia("(pointer: fine)").matches) input.current?.focus();
  }, [isLive]);

  const say = (line: string) => {
    setText("");
    toEnd();
    void outbox.send(line, wantsPrivate && !isPrivate);
  };
  const pick = (line: string) => {
    setText(line);
    input.current?.focus();
  };
  const tellTyping = () => {
    // Only a courtesy: when it fails, nobody misses it.
    hub.rooms.typing.mutate({ soul_id: soul.id, session_token: sessionToken }).catch(() => {});
  };
  const ownReply = room.replies.find(({ sender_name }) => sender_name === selfName);
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
  const isOthers = first !== undefined && !log.hasMore && first.sender_name !== selfName;
  const isEmpty = isLive && !first && room.replies.length === 0 && outbox.shown.length === 0;
  const side = <RoomSide room={room} selfName={selfName} isGuest={isGuest} isPrivate={isPrivate} />;
  return (
    <div className="room">
      <div className="room__main">
        <RoomBar soul={soul} room={room} onPeople={people.open} />
        <section
          ref={scroller}
          className="room__scroll"
          aria-label="Conversation"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
        >
          <MessageList room={room} soul={soul} selfName={selfName} log={log} innerRef={content}>
            {isEmpty && <RoomGreeting soul={soul} onPick={pick} />}
            <OutboxLines
              items={outbox.shown}
              soulId={soul.id}
              selfName={selfName}
              isGuest={isGuest}
              onRetry={(item) => {
                outbox.remove(item.key);
                void outbox.send(item.content, item.isPrivate);
              }}
              onEdit={(item) => {
                outbox.remove(item.key);
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
              variant="default"
              leftSection={<DownIcon size={16} />}
              onClick={() => toEnd("smooth")}
            >
              Newest
            </Button>
          )}
          <TypingNote names={room.typing} />
          {room.connection === "reconnecting" && (
            <p className="room__lost">
              The connection is gone for the moment. What you miss comes as soon as it is back.
            </p>
          )}
          <Composer
            text={text}
            onText={setText}
            onSend={say}
            onTyping={tellTyping}
            onStop={ownReply && (() => void stop(ownReply.reply_id))}
            inputRef={input}
            title={soul.title}
            extra={
              <PrivateSwitch
                isPrivate={isPrivate}
                wanted={wantsPrivate}
                onChange={setWantsPrivate}
                isOthers={isOthers}
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
