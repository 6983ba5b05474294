import { type KeyboardEvent, type SyntheticEvent, useId, useState } from "react";
import { useRoomContext } from "../../room-context.ts";
import { type MentionToken, tokenAt } from "./mention-text.ts";
import { type MentionChoice, useMentionChoices } from "./use-mention-choices.ts";

/** Completes the mention that is being typed in the composer. */
export function useMentions() {
  const { input, setDraft } = useRoomContext();
  const [token, setToken] = useState<MentionToken>();
  /** The place of the `@` whose list the reader has closed. */
  const [closedAt, setClosedAt] = useState<number>();
  const [chosen, setChosen] = useState(0);
  const listId = useId();
  const isOpenAt = token !== undefined && token.start !== closedAt;
  const choices = useMentionChoices(isOpenAt ? token.query : undefined);
  const isOpen = choices.length > 0;
  const active = Math.min(chosen, choices.length - 1);

  const accept = (choice: MentionChoice | undefined) => {
    const { current: field } = input;
    if (!field || !token || !choice) return;
    const end = token.start + 1 + token.query.length;
    const space = field.value[end] === " " ? "" : " ";
    field.setRangeText(`@${choice.name}${space}`, token.start, end, "end");
    setToken(undefined);
    setDraft({ text: field.value });
    field.focus();
  };
  return {
    choices,
    active,
    listId,
    isOpen,
    accept,
    /** Attributes of the text field. The focus stays in it. */
    field: {
      "aria-autocomplete": "list",
      "aria-controls": isOpen ? listId : undefined,
      "aria-activedescendant": isOpen ? optionId(listId, active) : undefined,
    } as const,
    /** Reads the text before the caret. */
    read({ currentTarget }: SyntheticEvent<HTMLTextAreaElement>) {
      const { value, selectionStart, selectionEnd } = currentTarget;
      const next = selectionStart === selectionEnd ? tokenAt(value, selectionStart) : undefined;
      if (next?.start === token?.start && next?.query === token?.query) return;
      setToken(next);
      setChosen(0);
      if (next?.start !== closedAt) setClosedAt(undefined);
    },
    close: () => setToken(undefined),
    /** Handles a key of the text field. Returns whether the key was for the list. */
    handleKey(event: KeyboardEvent): boolean {
      // The keys of an input method choose among its own suggestions.
      if (!isOpen || event.nativeEvent.isComposing) return false;
      const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
      if (shiftKey || altKey || ctrlKey || metaKey) return false;
      const last = choices.length - 1;
      if (key === "ArrowDown") setChosen(active === last ? 0 : active + 1);
      else if (key === "ArrowUp") setChosen(active === 0 ? last : active - 1);
      else if (key === "Enter" || key === "Tab") accept(choices[active]);
      else if (key === "Escape") setClosedAt(token?.start);
      else return false;
      event.preventDefault();
      // Escape would also stop a reply.
      event.stopPropagation();
      return true;
    },
  };
}

export type Mentions = ReturnType<typeof useMentions>;

export const optionId = (listId: string, at: number): string => `${listId}-${at}`;
