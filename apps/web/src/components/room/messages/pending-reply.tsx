import type { RoomState } from "@soul-hub/client";
import { useRoomContext } from "../use-room-page.ts";
import { MessageLine } from "./message-line.tsx";
import { Thinking } from "./thinking.tsx";

type Reply = RoomState["replies"][number];

/** A reply in progress with its question. A regeneration has no question of its own. */
export function PendingReply({ reply }: { reply: Reply }) {
  const { room, soul, selfName, outbox, stopOf } = useRoomContext();
  const question = outbox.questionOf(reply.reply_id);
  return (
    <div className="room__exchange">
      {!reply.regenerates && !isStored(room, reply) && (
        <MessageLine
          by="user"
          name={reply.sender_name}
          text={reply.content}
          soulId={soul.id}
          isOwn={reply.sender_name === selfName}
          image={question?.image}
        />
      )}
      <MessageLine
        by="assistant"
        name={soul.title}
        text={reply.text}
        soulId={soul.id}
        progress={reply.isPartial ? "catching-up" : "writing"}
      >
        {reply.text === "" && (
          <Thinking isDeep={question?.deepThink ?? false} onStop={stopOf(reply)} />
        )}
      </MessageLine>
    </div>
  );
}

/** The replies in progress that are shown in place of a message. */
export function ReplacingReplies({ id }: { id: number }) {
  const { path } = useRoomContext();
  return path.pending.map(
    ({ reply, replaced }) =>
      replaced[0] === id && <PendingReply key={reply.reply_id} reply={reply} />,
  );
}

/**
 * Whether the newest message is the question of a reply in progress, and is therefore listed
 * already.
 */
function isStored({ messages }: RoomState, reply: Reply): boolean {
  const last = messages.at(-1);
  return (
    last?.role === "user" &&
    last.sender_name === reply.sender_name &&
    last.content === reply.content
  );
}
