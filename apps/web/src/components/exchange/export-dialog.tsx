import { Modal } from "@mantine/core";
import { ExportLinks, exportNote } from "./export-links.tsx";

export interface ExportedVersion {
  soul_id: number;
  number: number;
  /** Null for the present version. */
  id: number | null;
  has_package: boolean;
}

interface ExportDialogProps {
  version: ExportedVersion;
  isOpened: boolean;
  onClose: () => void;
}

/** Offers one version of a soul in every format. */
export function ExportDialog({ version, isOpened, onClose }: ExportDialogProps) {
  return (
    <Modal opened={isOpened} onClose={onClose} title={`Export v${version.number}`} size="50rem">
      <div className="stack">
        <ExportLinks soulId={version.soul_id} versionId={version.id} level={3} />
        <p className="muted">{exportNote(version.has_package)}</p>
      </div>
    </Modal>
  );
}
