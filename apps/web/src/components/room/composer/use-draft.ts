import { useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { MessageKind, RoomStorage } from "../room-storage.ts";

interface Draft {
  text: string;
  /** Stays after the message is sent, as a switch does. */
  kind: MessageKind;
}

/**
 * The text of the composer and its kind, stored per room. A draft in the navigation state, e.g. of a
 * mini app, takes precedence over the stored draft.
 */
export function useDraft(storage: RoomStorage | undefined) {
  const given = useRouterState({ select: ({ location }) => location.state.draft });
  const [draft, setDraft] = useState<Draft>({ text: given ?? "", kind: "question" });
  useEffect(() => {
    if (!storage) return;
    const { draft: text, kind } = storage.read();
    setDraft((typed) => (typed.text || typed.kind !== "question" ? typed : { text, kind }));
  }, [storage]);
  const change = (part: Partial<Draft>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    storage?.setDraft(next.text, next.kind);
  };
  return [draft, change] as const;
}
