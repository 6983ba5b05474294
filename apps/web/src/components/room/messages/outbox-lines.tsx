import { Button, Group } from "@mantine/core";
import { Link, useRouterState } from "@tanstack/react-router";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { quotaFailure } from "../quota-messages.ts";
import { useRoomContext } from "../use-room-page.ts";
import { MessageLine } from "./message-line.tsx";
import { isUnconfirmed, type OutboxItem } from "./use-outbox.ts";

/**
 * Shows the reader's own messages that are being sent or have failed, below the stored messages.
 */
export function OutboxLines() {
  const { outbox, soul, selfName, isLive, path } = useRoomContext();
  return outbox.shown.map((item) => {
    const { key, status, content, image, replyId, parentId } = item;
    // The editor of a rewritten question stays open until the room shows the question.
    const isRewriting = parentId !== undefined && parentId !== path.shown.at(-1)?.id;
    if (status === "sending" && isRewriting) return null;
    // The room showed the question before the connection was lost, so the hub has accepted the
    // question.
    const isAccepted = isUnconfirmed(item) && replyId !== undefined && !isLive;
    return (
      <div key={key} className="room__exchange">
        <MessageLine
          by="user"
          name={selfName ?? "You"}
          text={content}
          soulId={soul.id}
          isOwn
          isUnsent={status === "failed" && !isAccepted}
          image={image}
        />
        {isAccepted ? (
          <p className="line__note">Sent. The reply appears when you are back online.</p>
        ) : (
          <FailedActions item={item} />
        )}
      </div>
    );
  });
}

function FailedActions({ item }: { item: OutboxItem }) {
  const { left, isGuest, isLive, outbox, resend, edit } = useRoomContext();
  const next = useRouterState({ select: ({ location }) => location.href });
  const { failure, hasImage, image, deepThink } = item;
  if (!failure) return null;
  const isQuota = failure.code === "quota_exceeded";
  const isImageLost = hasImage && !image;
  return (
    <>
      <FailureNote
        failure={isQuota && left ? quotaFailure(failure, { left, isGuest, deepThink }) : failure}
      />
      <Group className="outbox-actions" gap="xs">
        <p>
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
        {!isImageLost && (
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
        <Button size="compact-sm" variant="default" onClick={() => outbox.remove(item.key)}>
          Remove
        </Button>
      </Group>
    </>
  );
}
