import type { RoomMessage } from "@soul-hub/api";
import { useEffect, useState, useSyncExternalStore } from "react";

/** What the reader has not seen: below the fold, or while the page was in the background. */
export function useUnread(messages: readonly RoomMessage[], isAtEnd: boolean) {
  const isVisible = useSyncExternalStore(listen, () => document.visibilityState === "visible");
  const newest = messages.at(-1)?.id;
  const [seen, setSeen] = useState(newest);
  /** The newest message when the reader went away. */
  const [leftAt, setLeftAt] = useState<number>();
  const isWatching = isVisible && isAtEnd;
  useEffect(() => {
    if (isWatching || seen === undefined) setSeen(newest);
  }, [isWatching, newest, seen]);
  const [wasVisible, setWasVisible] = useState(isVisible);
  if (wasVisible !== isVisible) {
    setWasVisible(isVisible);
    if (!isVisible) setLeftAt(newest);
  }
  const count = seen === undefined ? 0 : messages.filter(({ id }) => id > seen).length;
  return {
    /** Behind it stands what is new; undefined when nothing is, or nobody was away. */
    unreadAfter:
      leftAt !== undefined && newest !== undefined && newest > leftAt ? leftAt : undefined,
    count,
    isAway: !isVisible,
    /** Whoever writes has read. */
    forget: () => setLeftAt(undefined),
  };
}

function listen(onChange: () => void): () => void {
  document.addEventListener("visibilitychange", onChange);
  return () => document.removeEventListener("visibilitychange", onChange);
}
