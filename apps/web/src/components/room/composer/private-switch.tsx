import { Button, Switch } from "@mantine/core";
import { LockIcon } from "../../icons.tsx";
import { Ask } from "../../ui/ask.tsx";
import { useRoomContext } from "../room-context.ts";

export function PrivateSwitch({ isAsking, onAsk }: { isAsking: boolean; onAsk: () => void }) {
  const { isPrivate, wantsPrivate, setWantsPrivate, canSetPrivate } = useRoomContext();
  if (isPrivate) {
    return (
      <span className="row">
        <LockIcon size={16} /> Private permanently
      </span>
    );
  }
  // A reader who chose it before another person's first message can only take it back.
  if (!canSetPrivate && !wantsPrivate) return null;
  return (
    <Switch
      size="sm"
      label="Private"
      checked={wantsPrivate}
      aria-expanded={isAsking}
      onChange={() => (wantsPrivate ? setWantsPrivate(false) : onAsk())}
    />
  );
}

/** Asks for confirmation, because a private room stays private (decisions §5). */
export function PrivateNote({ onClose }: { onClose: () => void }) {
  const { isPrivate, setWantsPrivate, canSetPrivate } = useRoomContext();
  if (isPrivate || !canSetPrivate) return null;
  const confirm = () => {
    setWantsPrivate(true);
    onClose();
  };
  return (
    <Ask
      className="popup composer-note"
      title="Make this room private?"
      text="From your next message on, only you can read and write here. Everyone else is removed and the link stops working for them. This can't be undone."
    >
      {/* The confirming button gets the focus, so that Enter confirms the dialog. */}
      <Button autoFocus size="sm" leftSection={<LockIcon size={16} />} onClick={confirm}>
        Yes, with my next message
      </Button>
      <Button size="sm" variant="default" onClick={onClose}>
        Keep it open
      </Button>
    </Ask>
  );
}
