import type { GivenTarget } from "../../queries.ts";
import { FlagIcon } from "../icons.tsx";
import { DialogButton } from "../ui/dialog-button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";

const ReportDialog = lazyPart(() => import("./report-dialog.tsx"), "ReportDialog");

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
