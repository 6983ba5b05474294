import { useEffect, useRef, useState } from "react";
import { ReportDialog } from "../../../moderation/report-dialog.tsx";
import { Ask } from "../../../ui/ask.tsx";
import { SmallButton } from "../../../ui/small-button.tsx";
import { RestrictionForm } from "../../people/restriction-form.tsx";
import { useRoomContext } from "../../room-context.ts";
import type { ShownMessage } from "../use-older-messages.ts";
import { MadeBy } from "./made-by.tsx";
import { MessageEditor } from "./message-editor.tsx";
import { ReactionPanel } from "./reaction-panel.tsx";
import type { OpenTool } from "./tools.ts";
import type { MessageActions } from "./use-message-actions.ts";

interface PanelProps {
  line: ShownMessage;
  actions: MessageActions;
  onClose: () => void;
}

interface MessagePanelProps extends PanelProps {
  tool: OpenTool;
  /** Whether the reader may ask a rewritten question. */
  mayBranch: boolean;
}

/** The open tool of a message: the editor in place of its text, or the panel below it. */
export function MessagePanel({ tool, mayBranch, ...panel }: MessagePanelProps) {
  const { line, onClose } = panel;
  const { roomName } = useRoomContext();
  if (tool === "edit") return <MessageEditor line={line} mayBranch={mayBranch} onClose={onClose} />;
  if (tool === "made") return <MadeBy {...panel} />;
  if (tool === "react") return <ReactionPanel {...panel} />;
  if (tool === "remove") return <RemovePanel {...panel} />;
  if (tool === "report") {
    return (
      <ReportDialog
        target={{ kind: "message", ...roomName, message_id: line.id }}
        onClose={onClose}
      />
    );
  }
  return <RestrictPanel {...panel} />;
}

/** Asks for confirmation, because the text of a removed message is deleted. */
function RemovePanel({ line, actions, onClose }: PanelProps) {
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

/** Mutes or bans the sender of a message. Names of guests may be equal, so the message names it. */
function RestrictPanel({ line, onClose }: PanelProps) {
  const { id, sender_name } = line;
  const panel = useRef<HTMLDivElement>(null);
  // The focused field alone would be scrolled into view, without the question above it. Its focus
  // comes before the next frame.
  useEffect(() => {
    const frame = requestAnimationFrame(() => panel.current?.scrollIntoView({ block: "nearest" }));
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <div
      ref={panel}
      className="note line__panel"
      role="dialog"
      aria-label={`Mute or ban ${sender_name}`}
    >
      <RestrictionForm
        name={sender_name}
        target={{ message_id: id }}
        onDone={onClose}
        onCancel={onClose}
      />
    </div>
  );
}
