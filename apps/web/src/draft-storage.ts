import { useEffect, useState } from "react";
import { readObject, writeItem } from "./stored-item.ts";

const TAB = "sessionStorage";

/**
 * Keeps a draft in the tab's session storage, so that it survives reloads and navigation.
 * @param key the storage key: one per soul or mini app, and one for a new soul
 */
export function useStoredDraft<Draft extends object>(key: string, saved: Draft) {
  const [stored] = useState(() => readObject<Partial<Draft>>(key, TAB));
  // A draft of an older release may lack fields.
  const [draft, setDraft] = useState({ ...saved, ...stored });
  const [isRestored, setIsRestored] = useState(stored !== undefined);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(saved);

  useEffect(() => {
    // With full or disabled storage, the draft lasts as long as the page.
    writeItem(key, isChanged ? JSON.stringify(draft) : undefined, TAB);
  }, [key, draft, isChanged]);

  const startOver = () => {
    setDraft(saved);
    setIsRestored(false);
  };
  return { draft, setDraft, isChanged, isRestored: isRestored && isChanged, startOver };
}

export const discardStoredDraft = (key: string): boolean => writeItem(key, undefined, TAB);
