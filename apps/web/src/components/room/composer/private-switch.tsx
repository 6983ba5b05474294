import { Button, Switch } from "@mantine/core";
import { LockIcon } from "../../icons.tsx";
import { useRoomContext } from "../room-context.ts";

interface PrivateSwitchProps {
  isAsking: boolean;
  onAsk: () => void;
}

export function PrivateSwitch({ isAsking, onAsk }: PrivateSwitchProps) {
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
    <div
      className="note note--question popup composer-note"
      role="dialog"
      aria-label="Make this room private?"
    >
      <p>
        <strong>Make this room private?</strong> From your next message on, only you can read and
        write here. Everyone else is removed and the link stops working for them. This can't be
        undone.
      </p>
      {/* The confirming button gets the focus, so that Enter confirms the dialog. */}
      <Button autoFocus size="sm" leftSection={<LockIcon size={16} />} onClick={confirm}>
        Yes, with my next message
      </Button>
      <Button size="sm" variant="default" onClick={onClose}>
        Keep it open
      </Button>
    </div>
  );
}
