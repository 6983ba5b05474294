import type { RoomMessage } from "@soul-hub/api";
import { useEffect, useState, useSyncExternalStore } from "react";
import type { ShownMessage } from "./use-older-messages.ts";

// The state of Mantine's hook may change after a message that arrived later is rendered. The reader
// would then have seen this message in a hidden tab.
const useIsVisible = () => useSyncExternalStore(onVisibility, isVisibleNow);
const isVisibleNow = () => document.visibilityState === "visible";
function onVisibility(onChange: () => void) {
  document.addEventListener("visibilitychange", onChange);
  return () => document.removeEventListener("visibilitychange", onChange);
}

/**
 * Counts the shown messages that arrived while the reader was scrolled up or the tab was hidden.
 * @param messages the messages of the room, on all branches
 */
export function useUnread(
  messages: readonly RoomMessage[],
  shown: readonly ShownMessage[],
  isAtEnd: boolean,
) {
  const isVisible = useIsVisible();
  const newest = messages.at(-1)?.id;
  const [seen, setSeen] = useState(newest);
  /** Id of the newest message at the moment when the tab was hidden. */
  const [hiddenAt, setHiddenAt] = useState<number>();
  const isWatching = isVisible && isAtEnd;
  useEffect(() => {
    if (isWatching || seen === undefined) setSeen(newest);
  }, [isWatching, newest, seen]);
  const [wasVisible, setWasVisible] = useState(isVisible);
  if (wasVisible !== isVisible) {
    setWasVisible(isVisible);
    if (!isVisible) setHiddenAt(newest);
  }
  const count = seen === undefined ? 0 : shown.filter(({ id }) => id > seen).length;
  return {
    /** Id of the last message above the mark "New since you were away"; undefined without one. */
    unreadAfter:
      hiddenAt !== undefined && newest !== undefined && newest > hiddenAt ? hiddenAt : undefined,
    count,
    isAway: !isVisible,
    clearMark: () => setHiddenAt(undefined),
  };
}
