import { Button, type ButtonProps } from "@mantine/core";
import { lazy, Suspense, useRef, useState } from "react";
import { DownIcon } from "../icons.tsx";

const ExportDialog = lazy(() =>
  import("./export-dialog.tsx").then((module) => ({ default: module.ExportDialog })),
);

interface ExportButtonProps extends ButtonProps {
  soul: { id: number; title: string; has_package: boolean };
}

/** A button that opens the choice of export formats. The dialog loads on first use. */
export function ExportButton({ soul, ...rest }: ExportButtonProps) {
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
        size="sm"
        leftSection={<DownIcon size={17} />}
        aria-haspopup="dialog"
        aria-label={`Export: ${soul.title}`}
        onClick={() => setIsOpened(true)}
        {...rest}
      >
        Export
      </Button>
      {isOpened !== undefined && (
        <Suspense>
          <ExportDialog soul={soul} isOpened={isOpened} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
