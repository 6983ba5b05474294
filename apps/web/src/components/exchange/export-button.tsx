import { DownloadIcon } from "../icons.tsx";
import { DialogButton } from "../ui/dialog-button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import type { ExportedVersion } from "./export-dialog.tsx";

const ExportDialog = lazyPart(() => import("./export-dialog.tsx"), "ExportDialog");

/** A button that opens the choice of export formats of a version. */
export const ExportButton = ({ version }: { version: ExportedVersion }) => (
  <DialogButton
    variant="default"
    size="xs"
    leftSection={<DownloadIcon size={15} />}
    dialog={(state) => <ExportDialog version={version} {...state} />}
  >
    Export v{version.number}
  </DialogButton>
);
