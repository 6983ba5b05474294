import type { FocusEvent, KeyboardEvent } from "react";

/**
 * The props of something in place that the Escape key closes, and nothing around it. A dialog or
 * drawer of Mantine hears the key first, and leaves it to an element with the attribute.
 */
export const closeOnEscape = (close: () => void) => ({
  onFocus: ({ target }: FocusEvent) => target.setAttribute("data-mantine-stop-propagation", "true"),
  onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    event.stopPropagation();
    close();
  },
});
