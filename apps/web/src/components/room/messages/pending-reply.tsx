import type { RoomState } from "@soul-hub/client";
import { StopIcon } from "../../icons.tsx";
import { useRoomContext } from "../room-context.ts";
import { useSoulOf } from "../souls/use-soul-of.ts";
import { MessageLine } from "./message-line.tsx";
import { Thinking } from "./thinking.tsx";
import { isFurther } from "./unsent/use-broken-replies.ts";

type Reply = RoomState["replies"][number];

/**
 * A reply in progress with its question. Neither a regeneration nor the reply of a further soul has a
 * question of its own.
 */
export function PendingReply({ reply }: { reply: Reply }) {
  const { room, soul, selfName, outbox, stopOf } = useRoomContext();
  const question = outbox.questionOf(reply.reply_id);
  const { id, title } = useSoulOf()(reply.soul_id);
  const onStop = stopOf(reply);
  const isOneOfSeveral = (room.room?.souls.length ?? 1) > 1;
  return (
    <div className="room__exchange">
      {!reply.regenerates && !isFurther(reply) && !isStored(room, reply) && (
        <MessageLine
          by="user"
          name={reply.sender_name}
          text={reply.content}
          soulId={soul.id}
          isOwn={reply.sender_name === selfName}
          isWaiting={reply.sender_name === selfName}
          image={question?.image}
        />
      )}
      <MessageLine
        by="assistant"
        name={title}
        text={reply.text}
        soulId={id}
        progress={reply.isPartial ? "catching-up" : "writing"}
      >
        {reply.text === "" && (
          <Thinking
            isDeep={question?.deepThink ?? false}
            onStop={isOneOfSeveral ? undefined : onStop}
          />
        )}
        {isOneOfSeveral && onStop && (
          <div className="row small line__foot">
            <button
              type="button"
              className="plain-button line__action line__stop"
              aria-label={`Stop the reply of ${title}`}
              onClick={onStop}
            >
              <StopIcon size={13} /> Stop
            </button>
          </div>
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
