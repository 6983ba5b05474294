import type { RoomState } from "@soul-hub/client";
import { useEffect, useState, useSyncExternalStore } from "react";
import { isOwn, type Reader } from "./actions/reader.ts";
import type { ShownMessage } from "./use-older-messages.ts";

// The state of Mantine's hook may change after a message that arrived later is rendered. The reader
// would then have seen this message in a hidden tab.
const useIsVisible = () => useSyncExternalStore(onVisibility, isVisibleNow);
const isVisibleNow = () => document.visibilityState === "visible";
function onVisibility(onChange: () => void) {
  document.addEventListener("visibilitychange", onChange);
  return () => document.removeEventListener("visibilitychange", onChange);
}

/** True for what others wrote after the message `seen`, as the list of rooms counts (0042). */
export const isUnread = (line: ShownMessage, seen: number, reader: Pick<Reader, "name">): boolean =>
  line.id > seen && !line.removed && !isOwn(line, reader);

/**
 * Counts the shown messages that arrived while the reader was away from the room, scrolled up, or in
 * another tab.
 * @param isWatching the end of the conversation is in view, if the tab is visible
 */
export function useUnread(
  { messages, revision, you }: RoomState,
  shown: readonly ShownMessage[],
  name: string | undefined,
  isWatching: boolean,
) {
  const isVisible = useIsVisible();
  const newest = messages.at(-1)?.id;
  const [seen, setSeen] = useState<number>();
  /** Id of the newest message that the reader had seen when it left. */
  const [leftAt, setLeftAt] = useState<number>();
  // The position of an account comes with the first `sync`. An account that was never here has none.
  if (seen === undefined && revision !== undefined) {
    const position = you?.seen_to || newest || 0;
    setSeen(position);
    if (messages.some((line) => isUnread(line, position, { name }))) setLeftAt(position);
  }
  useEffect(() => {
    if (isVisible && isWatching && newest !== undefined) setSeen(newest);
  }, [isVisible, isWatching, newest]);
  const [wasVisible, setWasVisible] = useState(isVisible);
  if (wasVisible !== isVisible) {
    setWasVisible(isVisible);
    if (!isVisible) setLeftAt(seen);
  }
  const count = shown.filter((line) => isUnread(line, seen ?? line.id, { name })).length;
  return {
    /** Id of the last message above the mark "New since you were away"; undefined without one. */
    unreadAfter:
      leftAt !== undefined && newest !== undefined && newest > leftAt ? leftAt : undefined,
    count,
    isAway: !isVisible,
    clearMark: () => setLeftAt(undefined),
  };
}
