import { Button, Loader } from "@mantine/core";
import type { RoomState } from "@soul-hub/client";
import { Fragment, memo, useMemo } from "react";
import { failureFor } from "../../../failures.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { useRoomContext } from "../use-room-page.ts";
import { MessageLine } from "./message-line.tsx";
import { OutboxLines } from "./outbox-lines.tsx";
import { RoomGreeting } from "./room-greeting.tsx";
import type { ShownMessage } from "./use-older-messages.ts";

export function MessageList() {
  const { room, soul, selfName, older, unread, outbox, scroll, isEmpty } = useRoomContext();
  const { failed } = room;
  const lines = useMemo(
    () => [...older.messages, ...room.messages],
    [older.messages, room.messages],
  );
  // The outbox shows failures of the reader's own messages, so they are not shown twice.
  const isOwnFailure = outbox.shown.some(({ replyId }) => replyId === failed?.reply_id);
  return (
    <div ref={scroll.content} className="room__lines">
      <OlderMessages />
      <Log lines={lines} soulId={soul.id} selfName={selfName} unreadAfter={unread.unreadAfter} />
      {room.replies.map((reply) => (
        <div key={reply.reply_id} className="room__exchange">
          {!isStored(room, reply) && (
            <MessageLine
              by="user"
              name={reply.sender_name}
              text={reply.content}
              soulId={soul.id}
              isOwn={reply.sender_name === selfName}
              image={outbox.imageOf(reply.reply_id)}
            />
          )}
          <MessageLine
            by="assistant"
            name={soul.title}
            text={reply.text}
            soulId={soul.id}
            progress={reply.isPartial ? "catching-up" : "writing"}
          />
        </div>
      ))}
      {failed && !isOwnFailure && (
        <div className="room__exchange">
          <MessageLine
            by="user"
            name={failed.sender_name}
            text={failed.content}
            soulId={soul.id}
            isOwn={failed.sender_name === selfName}
            isUnsent
          />
          <FailureNote
            failure={{
              ...failureFor(failed.error),
              hint: "The room saved neither the message nor the reply.",
            }}
          />
        </div>
      )}
      {isEmpty && <RoomGreeting />}
      <OutboxLines />
    </div>
  );
}

interface LogProps {
  lines: readonly ShownMessage[];
  soulId: number;
  selfName: string | undefined;
  unreadAfter: number | undefined;
}

/**
 * The list of stored messages. Memoized, because each piece of a streaming reply renders the page.
 */
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

function OlderMessages() {
  const { hasMore, failure, load } = useRoomContext().older;
  if (failure) {
    return (
      <FailureNote failure={failure}>
        <Button size="compact-sm" variant="default" onClick={() => void load()}>
          Load earlier messages
        </Button>
      </FailureNote>
    );
  }
  if (!hasMore) return null;
  return (
    <p className="room__older">
      <Loader size="xs" /> Loading earlier messages
    </p>
  );
}

/**
 * Whether the newest message is the question of a reply in progress, and is therefore listed
 * already.
 */
function isStored({ messages }: RoomState, reply: RoomState["replies"][number]): boolean {
  const last = messages.at(-1);
  return (
    last?.role === "user" &&
    last.sender_name === reply.sender_name &&
    last.content === reply.content
  );
}
