import { useEffect } from "react";

/**
 * Sets `--visible-height` while an on-screen keyboard covers part of the page. On iOS the keyboard
 * does not shrink the viewport, but covers the page.
 */
export function useVisibleHeight(): void {
  useEffect(() => {
    const { visualViewport: viewport } = window;
    if (!viewport) return;
    const { style } = document.documentElement;
    const update = () => {
      // Pinch zoom shrinks the visual viewport too, but covers nothing.
      const isCovered = viewport.scale === 1 && window.innerHeight - viewport.height > 1;
      if (isCovered) style.setProperty("--visible-height", `${viewport.height}px`);
      else style.removeProperty("--visible-height");
    };
    viewport.addEventListener("resize", update);
    return () => {
      viewport.removeEventListener("resize", update);
      style.removeProperty("--visible-height");
    };
  }, []);
}
