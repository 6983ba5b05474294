import { ReportDialog } from "../../../moderation/report-dialog.tsx";
import { useRoomContext } from "../../room-context.ts";
import type { ShownMessage } from "../use-older-messages.ts";

interface ReportMessageProps {
  line: ShownMessage;
  onClose: () => void;
}

export function ReportMessage({ line: { id }, onClose }: ReportMessageProps) {
  const { roomName } = useRoomContext();
  return (
    <ReportDialog target={{ kind: "message", ...roomName, message_id: id }} onClose={onClose} />
  );
}
