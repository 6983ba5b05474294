import { type ReactNode, useState } from "react";
import { lineId } from "./line-id.ts";

interface FoldedMessageProps {
  id: number;
  isBlocked: boolean;
  /** The message. */
  children: ReactNode;
}

/**
 * A message, in one line if the reader has blocked its sender. The page folds it, since all readers
 * of a room get the same log (0064).
 */
export function FoldedMessage({ id, isBlocked, children }: FoldedMessageProps) {
  const [shown, setShown] = useState<number>();
  if (!isBlocked || shown === id) return children;
  return (
    <p id={lineId(id)} className="small folded-line">
      Message of a blocked person ·{" "}
      <button type="button" className="plain-button" onClick={() => setShown(id)}>
        Show
      </button>
    </p>
  );
}
