import { RestrictionForm } from "../../people/restriction-form.tsx";
import type { ShownMessage } from "../use-older-messages.ts";

interface RestrictPanelProps {
  line: ShownMessage;
  onClose: () => void;
}

/** Mutes or bans the sender of a message. Names of guests may be equal, so the message names it. */
export function RestrictPanel({ line, onClose }: RestrictPanelProps) {
  const { id, sender_name } = line;
  return (
    <div className="line__panel" role="dialog" aria-label={`Mute or ban ${sender_name}`}>
      <RestrictionForm name={sender_name} target={{ message_id: id }} onDone={onClose} isFocused />
    </div>
  );
}
