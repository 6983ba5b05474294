/** Until when the browser keeps an item: for good, or as long as the tab is open. */
type Place = "localStorage" | "sessionStorage";

/** Stores "yes" while the member of this browser has taken along what its guest left (0077). */
export const GUEST_IS_KEPT = "soulhub-guest-is-kept";

/** Reads a text that this browser stores; undefined if there is none, or storage is disabled. */
export function readItem(key: string, place: Place = "localStorage"): string | undefined {
  try {
    return window[place].getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Reads a stored object; undefined if there is none, or its text is invalid. */
export function readObject<Stored>(key: string, place?: Place): Stored | undefined {
  try {
    return JSON.parse(readItem(key, place) ?? "");
  } catch {
    return undefined;
  }
}

/**
 * Stores a text; undefined removes it.
 * @returns false if storage is disabled or full
 */
export function writeItem(key: string, text: string | undefined, place: Place = "localStorage") {
  try {
    if (text === undefined) window[place].removeItem(key);
    else window[place].setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
