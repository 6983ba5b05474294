import { useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { ScrollAnchor } from "./scroll-anchor.ts";

/** A reader this close to the end of the conversation, in px, counts as being at the end. */
const NEAR_END_PX = 48;
/** Distance from the top of the conversation, in px, at which earlier messages are loaded. */
const NEAR_TOP_PX = 1_200;

/**
 * Scrolls along with new messages while the reader is at the end. Anywhere else, or while a message
 * has an open editor or panel, the first visible message stays in place.
 * @param first id of the first message
 * @param onNearTop loads earlier messages
 */
export function useStickToBottom(first: number | undefined, onNearTop: () => void) {
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const lastTop = useRef(0);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const loadEarlier = useEffectEvent(onNearTop);
  const showing = useRef<ScrollAnchor["show"]>(undefined);

  const toEnd = useCallback((behavior: ScrollBehavior = "instant") => {
    const { current: box } = scroller;
    isStuck.current = true;
    box?.scrollTo({ top: box.scrollHeight, behavior });
  }, []);

  // The observer below reports messages that were put above the others one frame late.
  useLayoutEffect(() => {
    if (isStuck.current && first !== undefined && !isActing(content.current)) toEnd();
  }, [first, toEnd]);

  /** Keeps the visible messages in place, although the end of the conversation changes. */
  const stay = useCallback(() => {
    isStuck.current = false;
  }, []);

  useEffect(() => {
    const { current: box } = scroller;
    const { current: inner } = content;
    if (!box || !inner) return;
    const anchor = new ScrollAnchor(box);
    const update = () => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END_PX;
      // A smaller scrollTop means that the reader scrolled up. New messages only increase the
      // distance to the end.
      if (isNear) isStuck.current = true;
      else if (box.scrollTop < lastTop.current || isActing(inner)) isStuck.current = false;
      if (isStuck.current && !isActing(inner)) anchor.release();
      else anchor.restore();
      lastTop.current = box.scrollTop;
      setIsAtEnd(isStuck.current);
      if (!isStuck.current && box.scrollTop < NEAR_TOP_PX) loadEarlier();
    };
    showing.current = (element, at) => {
      isStuck.current = false;
      anchor.show(element, at);
      update();
    };
    const resizes = new ResizeObserver(() => {
      if (!isStuck.current || isActing(inner)) return update();
      toEnd();
      // A shorter conversation has a smaller scrollTop, although the reader has not scrolled.
      lastTop.current = box.scrollTop;
    });
    resizes.observe(inner);
    // The scroll container is observed too, because a phone's keyboard resizes it.
    resizes.observe(box);
    box.addEventListener("scroll", update, { passive: true });
    return () => {
      resizes.disconnect();
      box.removeEventListener("scroll", update);
    };
  }, [toEnd]);

  /** Scrolls to an element, and keeps it in place until the reader scrolls. */
  const show: ScrollAnchor["show"] = useCallback(
    (element, at) => showing.current?.(element, at),
    [],
  );

  return { scroller, content, isAtEnd, toEnd, stay, show };
}

/** The editor and the panels of a message stay in view, together with the message. */
const isActing = (lines: Element | null): boolean =>
  lines?.querySelector(".line__editor, .line__panel") != null;
