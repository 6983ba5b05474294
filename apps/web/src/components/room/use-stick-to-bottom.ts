import { useCallback, useEffect, useRef, useState } from "react";
import { LineHold } from "./line-hold.ts";

/** Less than a line from the end still counts as being there. */
const NEAR_END_PX = 48;
/** Earlier messages are there before the reader is. */
const NEAR_TOP_PX = 1_200;

/**
 * Stays at the newest line while the reader is there, and at the reader's own while they read above.
 * @param onNearTop asks for earlier ones
 */
export function useStickToBottom(onNearTop: () => void) {
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
    const hold = new LineHold(box);
    const look = () => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END_PX;
      // Only a reader scrolls upwards. Being far from the end may just mean that it moved away.
      if (isNear) isStuck.current = true;
      else if (box.scrollTop < topBefore.current) isStuck.current = false;
      if (isStuck.current) hold.release();
      else hold.keep();
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

  return { scroller, content, isAtEnd, toEnd };
}
