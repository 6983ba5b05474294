import { Button } from "@mantine/core";
import { lazy, Suspense, useRef, useState } from "react";
import { DownloadIcon } from "../icons.tsx";
import type { ExportedVersion } from "./export-dialog.tsx";

const ExportDialog = lazy(() =>
  import("./export-dialog.tsx").then((module) => ({ default: module.ExportDialog })),
);

/** A button that opens the choice of export formats of a version. The dialog loads on first use. */
export function ExportButton({ version }: { version: ExportedVersion }) {
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
        variant="default"
        size="xs"
        leftSection={<DownloadIcon size={15} />}
        aria-haspopup="dialog"
        onClick={() => setIsOpened(true)}
      >
        Export v{version.number}
      </Button>
      {isOpened !== undefined && (
        <Suspense>
          <ExportDialog version={version} isOpened={isOpened} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
