import { Loader } from "@mantine/core";
import type { RoomState } from "@soul-hub/client";
import { Fragment, memo, type ReactNode, type RefObject, useMemo } from "react";
import { failureFor } from "../../failures.ts";
import type { Soul } from "../../queries.ts";
import { FailureNote } from "../failure-note.tsx";
import { MessageLine } from "./message-line.tsx";
import type { ChosenImage } from "./prepare-image.ts";
import type { ShownMessage, useOlderMessages } from "./use-older-messages.ts";

interface MessageListProps {
  room: RoomState;
  soul: Soul;
  selfName: string | undefined;
  log: ReturnType<typeof useOlderMessages>;
  /** What stands behind this message is new to the reader. */
  unreadAfter: number | undefined;
  /** The picture of a question of ours that is being answered. */
  imageOf: (replyId: string) => ChosenImage | undefined;
  /** A failure of ours is told beside our own line. */
  isOwnFailure: boolean;
  innerRef: RefObject<HTMLDivElement | null>;
  /** What stands below the log: our own lines on their way. */
  children: ReactNode;
}

export function MessageList(props: MessageListProps) {
  const { room, soul, selfName, log, unreadAfter, imageOf, isOwnFailure, innerRef } = props;
  const lines = useMemo(() => [...log.older, ...room.messages], [log.older, room.messages]);
  const { failed } = room;
  return (
    <div ref={innerRef} className="room__lines">
      <OlderMark log={log} />
      <Log lines={lines} soulId={soul.id} selfName={selfName} unreadAfter={unreadAfter} />
      {room.replies.map((reply) => (
        <div key={reply.reply_id} className="room__exchange">
          {!isStored(room, reply) && (
            <MessageLine
              by="user"
              name={reply.sender_name}
              text={reply.content}
              soulId={soul.id}
              isOwn={reply.sender_name === selfName}
              image={imageOf(reply.reply_id)}
            />
          )}
          <MessageLine
            by="assistant"
            name={soul.title}
            text={reply.text}
            soulId={soul.id}
            isOwn={false}
            progress={reply.isPartial ? "catching-up" : "writing"}
          />
        </div>
      ))}
      {failed && !isOwnFailure && (
        <div className="room__exchange">
          <div className="line-faded">
            <MessageLine
              by="user"
              name={failed.sender_name}
              text={failed.content}
              soulId={soul.id}
              isOwn={failed.sender_name === selfName}
            />
          </div>
          <FailureNote
            failure={{ ...failureFor(failed.error), hint: "Nothing of it is kept in the room." }}
          />
        </div>
      )}
      {props.children}
    </div>
  );
}

interface LogProps {
  lines: readonly ShownMessage[];
  soulId: number;
  selfName: string | undefined;
  unreadAfter: number | undefined;
}

/** Not drawn anew for every piece of a reply that is being written. */
const Log = memo(function Log({ lines, soulId, selfName, unreadAfter }: LogProps) {
  const firstUnread =
    unreadAfter === undefined ? undefined : lines.find(({ id }) => id > unreadAfter)?.id;
  return lines.map(({ id, role, sender_name, content }) => (
    <Fragment key={id}>
      {id === firstUnread && (
        <p className="room__unread">
          <span>New since you were away</span>
        </p>
      )}
      <MessageLine
        by={role}
        name={sender_name}
        text={content}
        soulId={soulId}
        isOwn={role === "user" && sender_name === selfName}
      />
    </Fragment>
  ));
});

function OlderMark({ log: { hasMore, failure, load } }: Pick<MessageListProps, "log">) {
  if (failure) {
    return (
      <FailureNote failure={failure}>
        <button type="button" className="room__older-again" onClick={() => void load()}>
          Show earlier messages
        </button>
      </FailureNote>
    );
  }
  if (!hasMore) return null;
  return (
    <p className="room__older">
      <Loader size="xs" /> Earlier messages
    </p>
  );
}

/** The question's own message comes a moment before the reply's: it must not stand there twice. */
function isStored(
  { messages }: RoomState,
  reply: { sender_name: string; content: string },
): boolean {
  const last = messages.at(-1);
  return (
    last?.role === "user" &&
    last.sender_name === reply.sender_name &&
    last.content === reply.content
  );
}
