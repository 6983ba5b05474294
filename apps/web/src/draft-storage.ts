import { useEffect, useState } from "react";

/**
 * Keeps a draft in the tab's session storage, so that it survives reloads and navigation.
 * @param key the storage key: one per soul or mini app, and one for a new soul
 */
export function useStoredDraft<Draft extends object>(key: string, saved: Draft) {
  const [stored] = useState(() => read(key, saved));
  const [draft, setDraft] = useState(stored ?? saved);
  const [isRestored, setIsRestored] = useState(stored !== undefined);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(saved);

  useEffect(() => {
    if (isChanged) write(key, draft);
    else discardStoredDraft(key);
  }, [key, draft, isChanged]);

  const startOver = () => {
    setDraft(saved);
    setIsRestored(false);
  };
  return { draft, setDraft, isChanged, isRestored: isRestored && isChanged, startOver };
}

export function discardStoredDraft(key: string): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // A browser with disabled storage has no draft to discard.
  }
}

function write(key: string, draft: object): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // With full or disabled storage, the draft lasts as long as the page.
  }
}

/**
 * Reads a stored draft. Fields that are missing in a draft of an older release get their saved
 * values.
 */
function read<Draft extends object>(key: string, saved: Draft): Draft | undefined {
  try {
    const text = sessionStorage.getItem(key);
    return text ? { ...saved, ...(JSON.parse(text) as Partial<Draft>) } : undefined;
  } catch {
    return undefined;
  }
}
