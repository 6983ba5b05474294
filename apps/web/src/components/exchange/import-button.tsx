import "./exchange.css";
import { Button, FileButton } from "@mantine/core";
import { lazy, Suspense, useRef, useState } from "react";
import { FileIcon } from "../icons.tsx";

const ImportDialog = lazy(() =>
  import("./import-dialog.tsx").then((module) => ({ default: module.ImportDialog })),
);

/** Takes a file from the device and shows what its import would do. */
export function ImportButton() {
  const [file, setFile] = useState<File | null>(null);
  const clear = useRef<() => void>(null);
  const button = useRef<HTMLButtonElement>(null);
  const close = () => {
    setFile(null);
    // The same file can then be chosen again.
    clear.current?.();
    button.current?.focus();
  };
  return (
    <section className="panel exchange__offer" aria-label="Import">
      <p>
        Have one already? A soul package, a character card (PNG, JSON, CHARX) or a Markdown file.
      </p>
      <FileButton
        resetRef={clear}
        accept=".zip,.png,.json,.charx,.md,.mdc,.txt"
        onChange={setFile}
        inputProps={{ "aria-label": "File to import", tabIndex: -1 }}
      >
        {(props) => (
          <Button {...props} ref={button} variant="default" leftSection={<FileIcon size={17} />}>
            Import a file
          </Button>
        )}
      </FileButton>
      {file && (
        <Suspense>
          <ImportDialog file={file} onClose={close} />
        </Suspense>
      )}
    </section>
  );
}
