import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Less than a line from the end still counts as being there. */
const NEAR_PX = 48;

/**
 * Stays at the newest line while the reader is there, and leaves them alone while they read above.
 * @param olderCount messages that were put in above: the reader's line must not move for them
 */
export function useStickToBottom(olderCount: number) {
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const heightBefore = useRef(0);
  const topBefore = useRef(0);
  const [isAtEnd, setIsAtEnd] = useState(true);

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
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
      // Only a reader scrolls upwards. Being far from the end may just mean that it moved away.
      if (isNear) isStuck.current = true;
      else if (box.scrollTop < topBefore.current) isStuck.current = false;
      topBefore.current = box.scrollTop;
      setIsAtEnd(isStuck.current);
    };
    const grow = new ResizeObserver(() => {
      if (isStuck.current) toEnd();
      else look();
      heightBefore.current = box.scrollHeight;
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

  useLayoutEffect(() => {
    const { current: box } = scroller;
    if (!box || olderCount === 0 || isStuck.current) return;
    box.scrollTop += box.scrollHeight - heightBefore.current;
  }, [olderCount]);

  return { scroller, content, isAtEnd, toEnd };
}
