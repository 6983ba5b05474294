import { useEffect } from "react";

/**
 * Where a keyboard covers the page instead of making it smaller (iOS), the room ends above it:
 * `--visible-height` is what can be seen, and unset where nothing covers anything.
 */
export function useVisibleHeight(): void {
  useEffect(() => {
    const { visualViewport: view } = window;
    if (!view) return;
    const { style } = document.documentElement;
    const look = () => {
      // Zooming in makes it smaller, too, and covers nothing.
      const isCovered = view.scale === 1 && window.innerHeight - view.height > 1;
      if (isCovered) style.setProperty("--visible-height", `${view.height}px`);
      else style.removeProperty("--visible-height");
    };
    view.addEventListener("resize", look);
    return () => {
      view.removeEventListener("resize", look);
      style.removeProperty("--visible-height");
    };
  }, []);
}
