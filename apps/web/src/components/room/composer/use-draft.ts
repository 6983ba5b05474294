import { useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { RoomStorage } from "../room-storage.ts";

/**
 * The text of the composer, stored per room. A draft in the navigation state, e.g. of a mini app,
 * takes precedence over the stored draft.
 */
export function useDraft(storage: RoomStorage | undefined) {
  const given = useRouterState({ select: ({ location }) => location.state.draft });
  const [text, setText] = useState(given ?? "");
  useEffect(() => {
    if (storage) setText((typed) => typed || storage.read().draft);
  }, [storage]);
  const change = (draft: string) => {
    setText(draft);
    storage?.setDraft(draft);
  };
  return [text, change] as const;
}
