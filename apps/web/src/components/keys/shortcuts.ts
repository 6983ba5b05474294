const isMac = /^Mac/.test(navigator.platform);

/** The modifier key of shortcuts, as the keyboard names it. */
export const MODIFIER = isMac ? "⌘" : "Ctrl";

/** Returns the shortcut of a key event; undefined for any other key. */
export type Shortcut = "palette" | "search" | "keys";

/**
 * Reads the shortcut of a key event. The event's `key` is compared, not the physical key, because
 * "/" needs Shift on some keyboards.
 */
export function shortcutOf(event: KeyboardEvent): Shortcut | undefined {
  const { key, ctrlKey, metaKey, altKey, isComposing, defaultPrevented } = event;
  if (isComposing || defaultPrevented) return undefined;
  // On a Mac, Ctrl K deletes to the end of the line.
  const hasModifier = isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  if (key.toLowerCase() === "k" && hasModifier && !altKey) return "palette";
  if (ctrlKey || metaKey || altKey || isTyping(event.target)) return undefined;
  if (key === "/") return "search";
  return key === "?" ? "keys" : undefined;
}

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input, textarea, select"));
