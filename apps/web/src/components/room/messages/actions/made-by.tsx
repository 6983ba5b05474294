import { SmallButton } from "../../../ui/small-button.tsx";
import { describeReply } from "../made-by.ts";
import type { ShownMessage } from "../use-older-messages.ts";

interface MadeByProps {
  line: ShownMessage;
  onClose: () => void;
}

/** The panel with what made a reply. */
export function MadeBy({ line: { made_by }, onClose }: MadeByProps) {
  if (!made_by) return null;
  return (
    <div className="note line__panel" role="dialog" aria-label="How this was made">
      <p>{describeReply(made_by)}</p>
      <SmallButton autoFocus onClick={onClose}>
        Close
      </SmallButton>
    </div>
  );
}
