import { useEffect, useState } from "react";
import type { SoulDraft } from "./soul-draft.ts";

/**
 * A draft that survives a reload, a wrong click and a sign-in on the way.
 * @param key of the storage: one draft per soul, and one for a new soul
 */
export function useKeptDraft(key: string, saved: SoulDraft) {
  const [kept] = useState(() => read(key, saved));
  const [draft, setDraft] = useState(kept ?? saved);
  const [isRestored, setIsRestored] = useState(kept !== undefined);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(saved);

  useEffect(() => {
    if (isChanged) write(key, draft);
    else forgetDraft(key);
  }, [key, draft, isChanged]);

  const startOver = () => {
    setDraft(saved);
    setIsRestored(false);
  };
  return { draft, setDraft, isChanged, isRestored: isRestored && isChanged, startOver };
}

export function forgetDraft(key: string): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Storage is switched off: there was no draft.
  }
}

function write(key: string, draft: SoulDraft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Full or switched off: the draft lives as long as the page.
  }
}

/** What a draft of an older page doesn't know stays as it is saved. */
function read(key: string, saved: SoulDraft): SoulDraft | undefined {
  try {
    const text = sessionStorage.getItem(key);
    return text ? { ...saved, ...(JSON.parse(text) as Partial<SoulDraft>) } : undefined;
  } catch {
    return undefined;
  }
}
