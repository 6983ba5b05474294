import { Button } from "@mantine/core";
import { Link, useRouterState } from "@tanstack/react-router";
import { FailureNote } from "../failure-note.tsx";
import { MessageLine } from "./message-line.tsx";
import type { OutboxItem } from "./use-outbox.ts";

interface OutboxLinesProps {
  items: readonly OutboxItem[];
  soulId: number;
  selfName: string | undefined;
  isGuest: boolean;
  onRetry: (item: OutboxItem) => void;
  /** Back into the box, to be changed. */
  onEdit: (item: OutboxItem) => void;
}

export function OutboxLines({
  items,
  soulId,
  selfName,
  isGuest,
  onRetry,
  onEdit,
}: OutboxLinesProps) {
  const next = useRouterState({ select: ({ location }) => location.href });
  return items.map((item) => (
    <div key={item.key} className="room__exchange">
      <div style={{ opacity: item.status === "failed" ? 0.7 : 1 }}>
        <MessageLine by="user" name={selfName ?? "You"} text={item.content} soulId={soulId} isOwn />
      </div>
      {item.failure && (
        <FailureNote failure={item.failure}>
          <Button size="compact-sm" variant="default" onClick={() => onRetry(item)}>
            Send again
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => onEdit(item)}>
            Change the text
          </Button>
          {isGuest && item.failure.code === "quota_exceeded" && (
            <Button
              size="compact-sm"
              renderRoot={(props) => <Link to="/sign-up" search={{ next }} {...props} />}
            >
              Create an account for more
            </Button>
          )}
        </FailureNote>
      )}
    </div>
  ));
}
