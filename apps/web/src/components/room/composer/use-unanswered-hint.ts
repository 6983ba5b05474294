import { useLocalStorage } from "@mantine/hooks";
import { useState } from "react";

/** Whether the page tells that no soul answers an unaddressed message: once in a browser. */
export function useUnansweredHint() {
  const [isKnown, setKnown] = useLocalStorage({
    key: "soulhub-knows-mentions",
    defaultValue: false,
  });
  const [isShown, setShown] = useState(false);
  return {
    isShown,
    show() {
      if (isKnown) return;
      setKnown(true);
      setShown(true);
    },
    hide: () => setShown(false),
  };
}
