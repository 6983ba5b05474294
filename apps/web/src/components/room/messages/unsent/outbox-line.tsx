import { Button } from "@mantine/core";
import { Link, useRouterState } from "@tanstack/react-router";
import type { Failure } from "../../../../failures.ts";
import type { Quota } from "../../../../queries.ts";
import { FailureNote } from "../../../feedback/failure-note.tsx";
import { withImageMark } from "../../../ui/image-mark.ts";
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
        isUnsent={status === "failed" && !isAccepted}
        isOffRecord={kind === "off-record"}
        image={image}
      />
      {part && <BrokenLine reply={part} />}
      {isAccepted ? (
        <p className="small line__note">Sent. The reply appears when you are back online.</p>
      ) : (
        <FailedActions item={item} />
      )}
    </div>
  );
}

function FailedActions({ item }: { item: OutboxItem }) {
  const { left, isGuest, isLive, removeUnsent, resend, edit } = useRoomContext();
  const next = useRouterState({ select: ({ location }) => location.href });
  const { failure, hasImage, image, deepThink } = item;
  if (!failure) return null;
  const isQuota = failure.code === "quota_exceeded";
  const isUsedUp = isQuota && left !== undefined && left.daily_remaining < unitsOf(left, deepThink);
  const isStopped = failure.code === "cancelled";
  const isImageLost = hasImage && !image;
  return (
    <>
      {!isStopped && (
        <FailureNote failure={shownFailure(failure, item, { left, isGuest, isLive })} />
      )}
      <div className="row small outbox-actions">
        <p>
          {isStopped && "The reply was stopped. "}
          {isImageLost
            ? "The text is saved in this browser. Add the image again."
            : `${hasImage ? "The text" : "Your message"} is saved in this browser.`}
        </p>
        {isGuest && isQuota && (
          <Button
            size="compact-sm"
            renderRoot={(props) => <Link to="/sign-up" search={{ next }} {...props} />}
          >
            Sign up free
          </Button>
        )}
        {!isImageLost && !isUsedUp && (
          <Button
            size="compact-sm"
            variant="default"
            // For an unconfirmed message, the button is disabled until the room is up to date. Only
            // then does the room show whether the message has arrived.
            disabled={isUnconfirmed(item) && !isLive}
            onClick={() => resend(item)}
          >
            Send again
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={() => edit(item)}>
          Edit
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => removeUnsent(item)}>
          Remove
        </Button>
      </div>
    </>
  );
}

interface Reader {
  left: Quota | undefined;
  isGuest: boolean;
  isLive: boolean;
}

function shownFailure(failure: Failure, item: OutboxItem, reader: Reader): Failure {
  const { left, isGuest, isLive } = reader;
  const { deepThink } = item;
  if (failure.code === "quota_exceeded" && left) {
    return quotaFailure(failure, { left, isGuest, deepThink });
  }
  // The connection is back, so the network needs no check.
  return isUnconfirmed(item) && isLive ? { ...failure, ...notConfirmed } : failure;
}
