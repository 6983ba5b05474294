import { Button, FileButton } from "@mantine/core";
import { type ReactNode, useRef, useState } from "react";
import { FileIcon } from "../icons.tsx";

interface FileChooserProps {
  /** The button's text. */
  label: string;
  /** The extensions of the files that the device offers. */
  accept: string;
  /** Renders the dialog for a chosen file. Its module may load on first use. */
  children: (file: File, close: () => void) => ReactNode;
}

/** A button that takes a file from the device. */
export function FileChooser({ label, accept, children }: FileChooserProps) {
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
    <>
      <FileButton
        resetRef={clear}
        accept={accept}
        onChange={setFile}
        inputProps={{ "aria-label": label, tabIndex: -1 }}
      >
        {(props) => (
          <Button {...props} ref={button} variant="default" leftSection={<FileIcon size={17} />}>
            {label}
          </Button>
        )}
      </FileButton>
      {file && children(file, close)}
    </>
  );
}
