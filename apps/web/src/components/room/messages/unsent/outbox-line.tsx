import { FailureNote } from "../../../feedback/failure-note.tsx";
import { withImageMark } from "../../../ui/image-mark.ts";
import { AccountButton } from "../../../ui/sign-in-link.tsx";
import { SmallButton } from "../../../ui/small-button.tsx";
import { quotaFailure, unitsOf } from "../../quota-messages.ts";
import { useRoomContext } from "../../room-context.ts";
import { MessageLine } from "../message-line.tsx";
import { BrokenLine } from "./broken-line.tsx";
import { isUnconfirmed, notConfirmed, type OutboxItem } from "./use-outbox.ts";

/** One of the reader's own messages that is being sent or has failed. */
export function OutboxLine({ item }: { item: OutboxItem }) {
  const { soul, selfName, isLive, path, broken } = useRoomContext();
  const { status, content, kind, hasImage, image, replyId, parentId } = item;
  // The editor of a rewritten question stays open until the room shows the question.
  const isRewriting = parentId !== undefined && parentId !== path.shown.at(-1)?.id;
  if (status === "sending" && isRewriting) return null;
  // The room showed the question before the connection was lost, so the hub has accepted the
  // question.
  const isAccepted = isUnconfirmed(item) && replyId !== undefined && !isLive;
  const part = replyId && broken.find(({ reply_id }) => reply_id === replyId);
  return (
    <div className="room__exchange">
      <MessageLine
        by="user"
        name={selfName ?? "You"}
        text={hasImage ? withImageMark(content) : content}
        soulId={soul.id}
        isOwn
        isUnsent={status === "waiting" || (status === "failed" && !isAccepted)}
        isWaiting={status === "sending"}
        isOffRecord={kind === "off-record"}
        image={image}
      />
      {part && <BrokenLine reply={part} />}
      {isAccepted ? (
        <p className="small line__note">Sent. The reply appears when you are back online.</p>
      ) : status === "waiting" ? (
        <WaitingActions item={item} />
      ) : (
        <FailedActions item={item} />
      )}
    </div>
  );
}

function WaitingActions({ item }: { item: OutboxItem }) {
  const { edit, sendNow, outbox } = useRoomContext();
  // Without a reply, a message has no image and makes no room private.
  const maySend = !item.hasImage && !item.isPrivate;
  return (
    <div className="row small outbox-actions">
      <p>
        {outbox.isUnclear
          ? "Waits until you send or remove the message above."
          : "Waits for the reply to your message above."}
      </p>
      {maySend && <SmallButton onClick={() => sendNow(item)}>Send now, no reply</SmallButton>}
      <SmallButton onClick={() => edit(item)}>Take back</SmallButton>
    </div>
  );
}

function FailedActions({ item }: { item: OutboxItem }) {
  const { left, isGuest, isLive, removeUnsent, resend, edit } = useRoomContext();
  const { failure, hasImage, image, deepThink } = item;
  if (!failure) return null;
  const isQuota = failure.code === "quota_exceeded";
  const isUsedUp = isQuota && left !== undefined && left.daily_remaining < unitsOf(left, deepThink);
  const isStopped = failure.code === "cancelled";
  const isImageLost = hasImage && !image;
  // Once the connection is back, the network needs no check.
  const words = isUnconfirmed(item) && isLive ? notConfirmed : {};
  const shown =
    isQuota && left
      ? quotaFailure(failure, { left, isGuest, deepThink })
      : { ...failure, ...words };
  return (
    <>
      {!isStopped && <FailureNote failure={shown} />}
      <div className="row small outbox-actions">
        <p>
          {isStopped && "The reply was stopped. "}
          {isImageLost
            ? "The text is saved in this browser. Add the image again."
            : `${hasImage ? "The text" : "Your message"} is saved in this browser.`}
        </p>
        {isGuest && isQuota && (
          <AccountButton to="/sign-up" size="compact-sm">
            Sign up free
          </AccountButton>
        )}
        {!isImageLost && !isUsedUp && (
          <SmallButton
            // For an unconfirmed message, the button is disabled until the room is up to date. Only
            // then does the room show whether the message has arrived.
            disabled={isUnconfirmed(item) && !isLive}
            onClick={() => resend(item)}
          >
            Send again
          </SmallButton>
        )}
        <SmallButton onClick={() => edit(item)}>Edit</SmallButton>
        <SmallButton onClick={() => removeUnsent(item)}>Remove</SmallButton>
      </div>
    </>
  );
}
