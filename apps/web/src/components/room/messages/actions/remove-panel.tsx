import { Button } from "@mantine/core";
import { useState } from "react";
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
    <div
      className="note note--question line__panel"
      role="dialog"
      aria-label="Remove this message?"
    >
      <p>
        <strong>Remove this message?</strong> Its text is deleted for everyone. This can't be
        undone.
      </p>
      <Button
        size="compact-sm"
        variant="default"
        c="var(--bad-text)"
        autoFocus
        loading={isRemoving}
        onClick={() => void remove()}
      >
        Remove it
      </Button>
      <Button size="compact-sm" variant="default" onClick={onClose}>
        Keep it
      </Button>
    </div>
  );
}
