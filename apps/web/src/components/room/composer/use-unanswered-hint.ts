import { useState } from "react";
import { readItem, writeItem } from "../../../stored-item.ts";

const KEY = "soulhub-knows-mentions";

/** Whether the page tells that no soul answers an unaddressed message: once in a browser. */
export function useUnansweredHint() {
  const [isShown, setShown] = useState(false);
  return {
    isShown,
    show() {
      if (readItem(KEY)) return;
      writeItem(KEY, "true");
      setShown(true);
    },
    hide: () => setShown(false),
  };
}
