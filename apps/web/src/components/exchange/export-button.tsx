import { lazy } from "react";
import { DownloadIcon } from "../icons.tsx";
import { DialogButton } from "../ui/dialog-button.tsx";
import type { ExportedVersion } from "./export-dialog.tsx";

const ExportDialog = lazy(() =>
  import("./export-dialog.tsx").then((module) => ({ default: module.ExportDialog })),
);

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
