import "./people/people.css";
import { Modal } from "@mantine/core";
import { useState } from "react";
import { ReportDialog } from "../moderation/report-dialog.tsx";
import { ShareDialog } from "../share/share-dialog.tsx";
import { MemoryHistory } from "./memory/memory-history.tsx";
import { ExportConversation } from "./menu/export-conversation.tsx";
import { GuestName } from "./menu/guest-name.tsx";
import { ShareConversation } from "./menu/share-conversation.tsx";
import { RenameRoom } from "./rename-room.tsx";
import { useRoomContext } from "./room-context.ts";
import type { RoomDialog } from "./room-dialog.ts";
import { rightsOf } from "./side/link-rights.ts";
import { usePin } from "./versions/use-pin.ts";
import { VersionChanges } from "./versions/version-changes.tsx";

const titles: Record<RoomDialog, string> = {
  memory: "What the soul remembered",
  changes: "What changed in the soul",
  title: "Rename this room",
  invite: "Invite into this room",
  share: "Share to read only",
  export: "Export the conversation",
  "guest-name": "Choose your name",
  report: "Report this room",
};

/** Dialogs that compare texts are wide. */
const wide: ReadonlySet<RoomDialog> = new Set(["memory", "changes"]);

/** The room's open dialog. It loads on first use, because it contains the comparison of texts. */
export function OpenDialog({ dialog }: { dialog: RoomDialog }) {
  const { setDialog, soul, room, isOwner, roomName } = useRoomContext();
  const { host } = usePin();
  const [opener] = useState(() => document.activeElement);
  const close = () => {
    setDialog(undefined);
    requestAnimationFrame(() => {
      // The field of the command palette, which opens dialogs too, is gone.
      const isThere = opener?.isConnected && opener !== document.body;
      const target = isThere ? opener : document.getElementById("main");
      if (target instanceof HTMLElement) target.focus({ preventScroll: !isThere });
    });
  };
  if (dialog === "invite") {
    return (
      <ShareDialog
        isOpened
        onClose={close}
        heading={titles.invite}
        url={location.href}
        title={soul.title}
      >
        <p>{rightsOf(room.room?.talk)}</p>
        {isOwner && <p>To let people only read, use “Share to read only”.</p>}
      </ShareDialog>
    );
  }
  if (dialog === "report") {
    return <ReportDialog target={{ kind: "room", ...roomName }} onClose={close} />;
  }
  return (
    <Modal opened onClose={close} title={titles[dialog]} size={wide.has(dialog) ? "60rem" : "md"}>
      {dialog === "memory" && <MemoryHistory />}
      {dialog === "changes" && host?.version && (
        <VersionChanges pinned={host.version} latest={host.latest} />
      )}
      {dialog === "title" && <RenameRoom onDone={close} />}
      {dialog === "share" && <ShareConversation />}
      {dialog === "export" && <ExportConversation />}
      {dialog === "guest-name" && <GuestName onDone={close} />}
    </Modal>
  );
}
