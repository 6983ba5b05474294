import { failureFor } from "../../../../failures.ts";
import { FailureNote } from "../../../feedback/failure-note.tsx";
import { useRoomContext } from "../../room-context.ts";
import { useSoulOf } from "../../souls/use-soul-of.ts";
import { CopyReplyButton } from "../copy-reply-button.tsx";
import { MessageLine } from "../message-line.tsx";
import { type BrokenReply, isFurther } from "./use-broken-replies.ts";

interface BrokenLineProps {
  reply: BrokenReply;
  /** Removes the part from the page; undefined where another button does. */
  onRemove?: () => void;
}

/** The received part of a reply that ended before it was whole. */
export function BrokenLine({ reply, onRemove }: BrokenLineProps) {
  const { text, soul_id } = reply;
  const { id, title } = useSoulOf()(soul_id, reply.title);
  return (
    <MessageLine by="assistant" name={title} text={text} soulId={id} isBroken>
      <div className="row small line__foot">
        <span>{text ? "stopped here; not kept in the room" : "did not reply"}</span>
        <span className="line__actions">
          {text && <CopyReplyButton text={text} label="Copy" />}
          {onRemove && (
            <button type="button" className="plain-button line__action" onClick={onRemove}>
              Remove
            </button>
          )}
        </span>
      </div>
    </MessageLine>
  );
}

/** The broken regenerations of a reply, below it. */
export function BrokenRegenerations({ question }: { question: number | undefined }) {
  const { broken, dropBroken } = useRoomContext();
  return broken
    .filter(({ regenerates }) => regenerates === question)
    .map((reply) => (
      <BrokenLine key={reply.reply_id} reply={reply} onRemove={() => dropBroken(reply.reply_id)} />
    ));
}

/**
 * A broken reply to a question of another person or tab, with the question. The reply of a further
 * soul has none: its question stays in the room.
 */
export function BrokenExchange({ reply }: { reply: BrokenReply }) {
  const { soul, selfName, dropBroken } = useRoomContext();
  const { reply_id, sender_name, content, error } = reply;
  const isAlone = isFurther(reply);
  return (
    <div className="room__exchange">
      {!isAlone && (
        <MessageLine
          by="user"
          name={sender_name}
          text={content}
          soulId={soul.id}
          isOwn={sender_name === selfName}
          isUnsent
        />
      )}
      <BrokenLine reply={reply} onRemove={() => dropBroken(reply_id)} />
      {error !== undefined &&
        (isAlone ? <NoReply code={error} sender={sender_name} /> : <NotSaved code={error} />)}
    </div>
  );
}

/** Tells why one of several souls did not reply. The question and the other replies are stored. */
function NoReply({ code, sender }: { code: string; sender: string }) {
  const { selfName } = useRoomContext();
  const rest = "The question and the other replies stay.";
  const cost = sender === selfName ? " This reply does not count." : "";
  return <Ended code={code} stopped={`This reply was stopped. ${rest}`} hint={`${rest}${cost}`} />;
}

/** Tells why the room has neither the question nor the reply. */
export function NotSaved({ code }: { code: string }) {
  const hint = "The room saved neither the message nor the reply.";
  return <Ended code={code} stopped={`The reply was stopped. ${hint}`} hint={hint} />;
}

/** A stopped reply did not fail. */
function Ended({ code, stopped, hint }: { code: string; stopped: string; hint: string }) {
  if (code === "cancelled") return <p className="small line__note">{stopped}</p>;
  return <FailureNote failure={{ ...failureFor(code), hint }} />;
}
