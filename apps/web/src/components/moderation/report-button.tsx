import { Button } from "@mantine/core";
import { lazy, Suspense, useRef, useState } from "react";
import type { GivenTarget } from "../../queries.ts";
import { FlagIcon } from "../icons.tsx";

const ReportDialog = lazy(() =>
  import("./report-dialog.tsx").then((module) => ({ default: module.ReportDialog })),
);

/** A button that opens the report of a soul or a person. The dialog loads on first use. */
export function ReportButton({ target }: { target: GivenTarget }) {
  const [isOpened, setIsOpened] = useState<boolean>();
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setIsOpened(false);
    button.current?.focus();
  };
  return (
    <>
      <Button
        ref={button}
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<FlagIcon size={15} />}
        aria-haspopup="dialog"
        onClick={() => setIsOpened(true)}
      >
        Report
      </Button>
      {isOpened !== undefined && (
        <Suspense>
          <ReportDialog target={target} isOpened={isOpened} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
