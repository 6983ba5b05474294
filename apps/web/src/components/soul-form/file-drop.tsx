import { Button } from "@mantine/core";
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { chosenFiles, droppedFiles, type TakenFiles, takeFiles } from "../../dropped-files.ts";
import type { SoulFile } from "../../soul-files.ts";
import { FileIcon } from "../icons.tsx";
import { toast } from "../toasts.tsx";

interface FileDropProps {
  onFiles: (files: SoulFile[]) => void;
  children: ReactNode;
}

/** Takes .md files, a folder or a .zip, dropped anywhere on it or chosen by its buttons. */
export function FileDrop({ onFiles, children }: FileDropProps) {
  const [isOver, setIsOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);

  const take = async (taking: Promise<TakenFiles>) => {
    const { files: taken, leftOut } = await taking;
    if (taken.length > 0) onFiles(taken);
    void toast({
      ...(taken.length === 0 && { color: "red" }),
      title: taken.length === 1 ? "1 file taken" : `${taken.length} files taken`,
      message: leftOut.map(({ name, reason }) => `${name}: ${reason}`).join(" · "),
    });
  };
  const drop = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setIsOver(false);
    void take(droppedFiles(event.dataTransfer).then(takeFiles));
  };
  const choose = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    if (currentTarget.files) void take(takeFiles(chosenFiles(currentTarget.files)));
    // The same file may be chosen again.
    currentTarget.value = "";
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons below do the same by keyboard.
    <div
      className="file-drop"
      data-over={isOver}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDropCapture={drop}
    >
      <div className="file-drop__ways">
        <span>Drop .md files, a folder or a .zip here, or</span>
        <Button
          variant="default"
          size="compact-md"
          leftSection={<FileIcon size={16} />}
          onClick={() => files.current?.click()}
        >
          Choose files
        </Button>
        <Button variant="default" size="compact-md" onClick={() => folder.current?.click()}>
          Choose a folder
        </Button>
        <input
          ref={files}
          type="file"
          multiple
          hidden
          accept=".md,.markdown,.txt,.json,.yaml,.yml,.zip"
          aria-label="Files of the soul"
          onChange={choose}
        />
        <input
          ref={(input) => {
            folder.current = input;
            if (input) input.webkitdirectory = true;
          }}
          type="file"
          hidden
          aria-label="Folder of the soul"
          onChange={choose}
        />
      </div>
      {children}
    </div>
  );
}

const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");
