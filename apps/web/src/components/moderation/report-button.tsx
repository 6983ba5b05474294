import { lazy } from "react";
import type { GivenTarget } from "../../queries.ts";
import { FlagIcon } from "../icons.tsx";
import { DialogButton } from "../ui/dialog-button.tsx";

const ReportDialog = lazy(() =>
  import("./report-dialog.tsx").then((module) => ({ default: module.ReportDialog })),
);

/** A button that opens the report of a soul or a person. */
export const ReportButton = ({ target }: { target: GivenTarget }) => (
  <DialogButton
    variant="subtle"
    color="gray"
    size="compact-sm"
    leftSection={<FlagIcon size={15} />}
    dialog={(state) => <ReportDialog target={target} {...state} />}
  >
    Report
  </DialogButton>
);
