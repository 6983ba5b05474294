import { useEffect, useRef } from "react";
import { isTyping } from "../keys/shortcuts.ts";
import { areSingleKeysOn } from "../keys/single-keys.ts";

/**
 * Listens for keys without a modifier while the page of the staff is open. In a field or a dialog
 * they do nothing, and the member can turn them off (WCAG 2.1.4).
 */
export function useAdminKeys(actions: Readonly<Record<string, (() => void) | undefined>>): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, isComposing, defaultPrevented, target } = event;
      if (ctrlKey || metaKey || altKey || isComposing || defaultPrevented) return;
      if (isTyping(target) || document.querySelector("[aria-modal=true], [role=menu]")) return;
      const action = latest.current[key];
      if (!action || !areSingleKeysOn()) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}

/** Shows the key of an action beside its name. Screen readers hear the name alone. */
export function KeyHint({ of }: { of: string }) {
  return areSingleKeysOn() ? (
    <span className="admin__key" aria-hidden="true">
      <kbd>{of}</kbd>
    </span>
  ) : null;
}
