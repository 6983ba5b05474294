import { ReportDialog } from "../../../moderation/report-dialog.tsx";
import { useRoomContext } from "../../room-context.ts";
import type { ShownMessage } from "../use-older-messages.ts";
import { MessageEditor } from "./message-editor.tsx";
import type { OpenTool } from "./message-tools.tsx";
import { ReactionPanel } from "./reaction-panel.tsx";
import { RemovePanel } from "./remove-panel.tsx";
import { RestrictPanel } from "./restrict-panel.tsx";
import type { MessageActions } from "./use-message-actions.ts";

interface MessagePanelProps {
  tool: OpenTool;
  line: ShownMessage;
  actions: MessageActions;
  /** Whether the reader may ask a rewritten question. */
  mayBranch: boolean;
  onClose: () => void;
}

/** The open tool of a message: the editor in place of its text, or the panel below it. */
export function MessagePanel({ tool, mayBranch, ...panel }: MessagePanelProps) {
  const { line, onClose } = panel;
  const { roomName } = useRoomContext();
  if (tool === "edit") return <MessageEditor line={line} mayBranch={mayBranch} onClose={onClose} />;
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
  return <RestrictPanel line={line} onClose={onClose} />;
}
