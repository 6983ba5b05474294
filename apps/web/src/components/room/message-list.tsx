import { Button } from "@mantine/core";
import type { RoomState } from "@soul-hub/client";
import type { ReactNode, RefObject } from "react";
import type { Soul } from "../../queries.ts";
import { FailureNote } from "../failure-note.tsx";
import { MessageLine } from "./message-line.tsx";
import type { ShownMessage, useOlderMessages } from "./use-older-messages.ts";

interface MessageListProps {
  room: RoomState;
  soul: Soul;
  selfName: string | undefined;
  log: ReturnType<typeof useOlderMessages>;
  innerRef: RefObject<HTMLDivElement | null>;
  /** What stands below the log: our own lines on their way. */
  children: ReactNode;
}

export function MessageList({ room, soul, selfName, log, innerRef, children }: MessageListProps) {
  const lines: readonly ShownMessage[] = [...log.older, ...room.messages];
  return (
    <div ref={innerRef} className="room__lines">
      {log.hasMore && (
        <Button
          variant="subtle"
          size="sm"
          loading={log.isLoading}
          onClick={() => void log.load()}
          mx="auto"
        >
          Show earlier messages
        </Button>
      )}
      {log.failure && <FailureNote failure={log.failure} />}
      {lines.map(({ id, role, sender_name, content }) => (
        <MessageLine
          key={id}
          by={role}
          name={sender_name}
          text={content}
          soulId={soul.id}
          isOwn={role === "user" && sender_name === selfName}
        />
      ))}
      {room.replies.map((reply) => (
        <div key={reply.reply_id} className="room__exchange">
          {!isStored(room, reply) && (
            <MessageLine
              by="user"
              name={reply.sender_name}
              text={reply.content}
              soulId={soul.id}
              isOwn={reply.sender_name === selfName}
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
      {children}
    </div>
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
