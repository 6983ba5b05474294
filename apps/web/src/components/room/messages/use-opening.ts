import type { RoomState } from "@soul-hub/client";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { startTransition, useEffect, useRef, useState } from "react";
import { toast } from "../../feedback/toasts.tsx";
import { lineId } from "./line-id.ts";
import { loadMarkdown } from "./load-markdown.ts";
import type { useRoomPath } from "./path/use-room-path.ts";
import type { OlderMessages } from "./use-older-messages.ts";
import type { useStickToBottom } from "./use-stick-to-bottom.ts";

/** The longest wait for the code that renders replies, in ms, as of a page with messages (0073). */
const MAX_WAIT_MS = 500;
/** The longest time, in ms, that an account waits for the way to the first unread message. */
const MAX_SEARCH_MS = 4_000;
/** The pages of messages that are read at most on the way to the first unread message. */
const MAX_PAGES = 5;
/** The place of the mark above the first unread message, as a share of the height: near the top. */
const MARK_AT = 0.02;

interface Opening {
  room: RoomState;
  path: Pick<ReturnType<typeof useRoomPath>, "tree" | "shown" | "isPartial">;
  older: OlderMessages;
  scroll: Pick<ReturnType<typeof useStickToBottom>, "show">;
  look: (id: number) => void;
  isAccount: boolean;
}

/**
 * Opens the room at the message that the address names with `?at=`, or at the first unread one, or at
 * its end. An account sees no message before that. A message in the address of an open room is shown,
 * too.
 */
export function useOpening({ room, path, older, scroll, look, isAccount }: Opening) {
  const { at } = useSearch({ from: "/chat/$id/$session" });
  const navigate = useNavigate();
  const [isReady, setIsReady] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const isLive = room.connection === "live";
  const hasReply = room.messages.some(({ role }) => role === "assistant");
  // A reply that is rendered before its code has come changes its height.
  useEffect(() => {
    if (!hasReply && !isLive) return;
    const ready = () => startTransition(() => setIsReady(true));
    const timer = setTimeout(ready, hasReply ? MAX_WAIT_MS : 0);
    if (hasReply) loadMarkdown().then(ready, ready);
    return () => clearTimeout(timer);
  }, [hasReply, isLive]);

  const isSeeking = isLive && !isOpen && at === undefined;
  useEffect(() => {
    if (!isSeeking) return;
    const timer = setTimeout(() => setIsOpen(true), MAX_SEARCH_MS);
    return () => clearTimeout(timer);
  }, [isSeeking]);

  const [followed, setFollowed] = useState<number>();
  // The same message may be sought again.
  if (at === undefined && followed !== undefined) setFollowed(undefined);
  const hasSought = useRef(false);
  const wanted = at === followed ? undefined : at;
  const isLoaded = wanted !== undefined && path.tree.messages.has(wanted);
  useEffect(() => {
    if (!isLive || !isReady || path.isPartial || older.isLoading) return;
    // A reload opens the room where the reader has read to.
    const finish = () => {
      setFollowed(at);
      void navigate({ to: ".", search: {}, replace: true, resetScroll: false });
    };
    if (wanted === undefined) {
      if (isOpen) return;
      const [first = room.messages[0]] = older.messages;
      const seenTo = room.you?.seen_to || undefined;
      if (!hasSought.current && older.hasMore && first && seenTo && seenTo < first.id) {
        hasSought.current = true;
        return void older.load(seenTo, MAX_PAGES);
      }
      const mark = document.querySelector(".room__unread");
      if (mark) scroll.show(mark, MARK_AT);
      setIsOpen(true);
    } else if (isLoaded && path.shown.some(({ id }) => id === wanted)) {
      const line = document.getElementById(lineId(wanted));
      if (line) scroll.show(line, 0.5);
      // A line that is not visible yet gets no focus.
      if (!isOpen) return setIsOpen(true);
      if (line) focusLine(line);
      finish();
    } else if (isLoaded) {
      look(wanted);
    } else if (older.hasMore && !older.failure) {
      void older.load(wanted);
    } else {
      finish();
      const message = "It may have been removed, or the earlier messages could not be loaded.";
      void toast({ title: "The message is not here", message });
    }
  });
  return {
    /** Whether the place is not known yet at which the room opens. */
    isOpening: isAccount && !isOpen,
    /** Whether messages may be rendered. */
    isReady: !isAccount || isReady,
    /** Whether the message that the address names is being loaded. */
    isLooking: isLive && wanted !== undefined && !isLoaded,
  };
}

/** Gives a message the focus, which also marks it. */
function focusLine(line: HTMLElement): void {
  line.tabIndex = -1;
  line.focus({ preventScroll: true });
  line.addEventListener("blur", () => line.removeAttribute("tabindex"), { once: true });
}
