import { useState } from "react";
import { Ask } from "../../../ui/ask.tsx";
import { SmallButton } from "../../../ui/small-button.tsx";
import { useRoomContext } from "../../room-context.ts";
import type { ShownMessage } from "../use-older-messages.ts";
import type { MessageActions } from "./use-message-actions.ts";

interface RemovePanelProps {
  line: ShownMessage;
  actions: MessageActions;
  onClose: () => void;
}

/** Asks for confirmation, because the text of a removed message is deleted. */
export function RemovePanel({ line, actions, onClose }: RemovePanelProps) {
  const { scroll } = useRoomContext();
  const [isRemoving, setRemoving] = useState(false);
  const remove = async () => {
    setRemoving(true);
    if (!(await actions.remove(line.id))) return setRemoving(false);
    onClose();
    // A removed message has no button that could have the focus.
    requestAnimationFrame(() => scroll.scroller.current?.focus({ preventScroll: true }));
  };
  return (
    <Ask
      className="line__panel"
      title="Remove this message?"
      text="Its text is deleted for everyone. This can't be undone."
    >
      <SmallButton c="var(--bad-text)" autoFocus loading={isRemoving} onClick={() => void remove()}>
        Remove it
      </SmallButton>
      <SmallButton onClick={onClose}>Keep it</SmallButton>
    </Ask>
  );
}
