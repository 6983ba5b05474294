import { useEffect, useRef } from "react";
import { ReportDialog } from "../../../moderation/report-dialog.tsx";
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
