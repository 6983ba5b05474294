const STORAGE_KEY = "soulhub-single-keys";

/**
 * Whether shortcuts of one key without a modifier work. People who dictate, or who hit keys by
 * accident, can turn them off (WCAG 2.1.4).
 */
export function areSingleKeysOn(): boolean {
  try {
    return localStorage.getItem(STORAGE_KEY) !== "off";
  } catch {
    return true;
  }
}

export function setSingleKeys(isOn: boolean): void {
  try {
    if (isOn) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, "off");
  } catch {
    // With disabled storage, the shortcuts stay on.
  }
}
