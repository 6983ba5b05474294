import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Less than a line from the end still counts as being there. */
const NEAR_END_PX = 48;
/** Earlier messages are there before the reader is. */
const NEAR_TOP_PX = 1_200;

interface Anchor {
  line: Element;
  top: number;
}

/**
 * Stays at the newest line while the reader is there, and leaves them alone while they read above.
 * @param olderCount messages that were put in above: the reader's line must not move for them
 * @param onNearTop asks for earlier ones
 */
export function useStickToBottom(olderCount: number, onNearTop: () => void) {
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const topBefore = useRef(0);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const nearTop = useRef(onNearTop);
  nearTop.current = onNearTop;

  const toEnd = useCallback((behavior: ScrollBehavior = "instant") => {
    const { current: box } = scroller;
    isStuck.current = true;
    box?.scrollTo({ top: box.scrollHeight, behavior });
  }, []);

  useEffect(() => {
    const { current: box } = scroller;
    const { current: inner } = content;
    if (!box || !inner) return;
    const look = () => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END_PX;
      // Only a reader scrolls upwards. Being far from the end may just mean that it moved away.
      if (isNear) isStuck.current = true;
      else if (box.scrollTop < topBefore.current) isStuck.current = false;
      topBefore.current = box.scrollTop;
      setIsAtEnd(isStuck.current);
      if (!isStuck.current && box.scrollTop < NEAR_TOP_PX) nearTop.current();
    };
    const grow = new ResizeObserver(() => {
      if (isStuck.current) toEnd();
      else look();
    });
    // The box too: a keyboard on a phone makes it smaller.
    grow.observe(inner);
    grow.observe(box);
    box.addEventListener("scroll", look, { passive: true });
    return () => {
      grow.disconnect();
      box.removeEventListener("scroll", look);
    };
  }, [toEnd]);

  // Where the reader's line stands, before this rendering moves it.
  const anchor = useRef<Anchor>(undefined);
  const countBefore = useRef(olderCount);
  if (countBefore.current !== olderCount) {
    countBefore.current = olderCount;
    anchor.current = findAnchor(scroller.current, content.current);
  }
  useLayoutEffect(() => {
    const { current: box } = scroller;
    const { current: held } = anchor;
    if (!box || !held || olderCount === 0 || isStuck.current) return;
    // The browser would do the same, except at the very top, and not everywhere: one of us only.
    box.style.overflowAnchor = "none";
    box.scrollTop += held.line.getBoundingClientRect().top - held.top;
    topBefore.current = box.scrollTop;
    const handBack = requestAnimationFrame(() => {
      box.style.overflowAnchor = "";
    });
    return () => {
      cancelAnimationFrame(handBack);
      box.style.overflowAnchor = "";
    };
  }, [olderCount]);

  return { scroller, content, isAtEnd, toEnd };
}

/** The first message that the reader sees. */
function findAnchor(box: Element | null, content: Element | null): Anchor | undefined {
  const from = box?.getBoundingClientRect().top ?? 0;
  for (const line of content?.querySelectorAll(".line") ?? []) {
    const { top, bottom } = line.getBoundingClientRect();
    if (bottom > from) return { line, top };
  }
  return undefined;
}
