import { Button } from "@mantine/core";
import { Link, useRouterState } from "@tanstack/react-router";
import { FailureNote } from "../failure-note.tsx";
import { MessageLine } from "./message-line.tsx";
import { isUnsure, type OutboxItem } from "./use-outbox.ts";

interface OutboxLinesProps {
  items: readonly OutboxItem[];
  soulId: number;
  selfName: string | undefined;
  isGuest: boolean;
  isLive: boolean;
  onRetry: (item: OutboxItem) => void;
  /** Back into the box, to be changed. */
  onEdit: (item: OutboxItem) => void;
}

export function OutboxLines(props: OutboxLinesProps) {
  const { items, soulId, selfName, isGuest, isLive, onRetry, onEdit } = props;
  const next = useRouterState({ select: ({ location }) => location.href });
  return items.map((item) => {
    const { key, status, content, image, failure, replyId } = item;
    // The hub has it, and goes on with the reply whether or not anybody looks.
    const isWithHub = isUnsure(item) && replyId !== undefined && !isLive;
    return (
      <div key={key} className="room__exchange">
        <div className={status === "failed" && !isWithHub ? "line-faded" : undefined}>
          <MessageLine
            by="user"
            name={selfName ?? "You"}
            text={content}
            soulId={soulId}
            isOwn
            image={image}
          />
        </div>
        {isWithHub && (
          <p className="line__note">The hub has it. The reply comes with the connection.</p>
        )}
        {failure && !isWithHub && (
          <FailureNote failure={failure}>
            <Button
              size="compact-sm"
              variant="default"
              // Only a room that is up to date can tell whether it has arrived after all.
              disabled={isUnsure(item) && !isLive}
              onClick={() => onRetry(item)}
            >
              Send again
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => onEdit(item)}>
              Change the text
            </Button>
            {isGuest && failure.code === "quota_exceeded" && (
              <Button
                size="compact-sm"
                renderRoot={(linkProps) => <Link to="/sign-up" search={{ next }} {...linkProps} />}
              >
                Create an account for more
              </Button>
            )}
          </FailureNote>
        )}
      </div>
    );
  });
}
