import { Modal } from "@mantine/core";
import { MemoryHistory } from "./memory/memory-history.tsx";
import { RenameRoom } from "./rename-room.tsx";
import { useRoomContext } from "./use-room-page.ts";
import { usePin } from "./versions/use-pin.ts";
import { VersionChanges } from "./versions/version-changes.tsx";

const titles = {
  memory: "What the soul remembered",
  changes: "What changed in the soul",
  title: "Rename this room",
};

/** The room's open dialog. It loads on first use, because it contains the comparison of texts. */
export function OpenDialog({ dialog }: { dialog: keyof typeof titles }) {
  const { setDialog } = useRoomContext();
  const { host } = usePin();
  const close = () => setDialog(undefined);
  return (
    <Modal opened onClose={close} title={titles[dialog]} size={dialog === "title" ? "md" : "60rem"}>
      {dialog === "memory" && <MemoryHistory />}
      {dialog === "changes" && host?.version && (
        <VersionChanges pinned={host.version} latest={host.latest} />
      )}
      {dialog === "title" && <RenameRoom onDone={close} />}
    </Modal>
  );
}
