import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { chosenFiles, droppedFiles, type TakenFiles, takeFiles } from "../../dropped-files.ts";
import type { SoulFile } from "../../soul-files.ts";
import { toast } from "../feedback/toasts.tsx";
import { FileIcon } from "../icons.tsx";
import { SmallButton } from "../ui/small-button.tsx";

/** The maximum number of rejected files that a toast names. */
const REASONS_SHOWN = 3;

interface FileDropProps {
  onFiles: (files: SoulFile[]) => void;
  children: ReactNode;
}

/** Reads .md files, a folder or a .zip, dropped anywhere on the page or chosen by a button. */
export function FileDrop({ onFiles, children }: FileDropProps) {
  const [isOver, setIsOver] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);

  const take = async (taking: Promise<TakenFiles>) => {
    const { files: taken, leftOut } = await taking;
    if (taken.length > 0) onFiles(taken);
    const reasons = leftOut.slice(0, REASONS_SHOWN).map(({ name, reason }) => `${name} ${reason}`);
    if (leftOut.length > REASONS_SHOWN) reasons.push(`${leftOut.length - REASONS_SHOWN} more`);
    const message = reasons.join(" · ");
    if (taken.length === 0) return void toast({ color: "red", message });
    const title = taken.length === 1 ? "1 file added" : `${taken.length} files added`;
    void toast({ title, message });
  };
  const drop = useEffectEvent((data: DataTransfer) => take(droppedFiles(data).then(takeFiles)));
  // The whole page listens for drops, because a browser opens a file that is dropped beside a drop
  // field.
  useEffect(() => {
    const listeners = new AbortController();
    const listen = (type: "dragover" | "drop", handle: (data: DataTransfer) => void) =>
      document.addEventListener(
        type,
        (event) => {
          if (!event.dataTransfer?.types.includes("Files")) return;
          event.preventDefault();
          // Stops CodeMirror's own drop handler, which would insert the dropped file's text.
          event.stopPropagation();
          handle(event.dataTransfer);
        },
        { capture: true, signal: listeners.signal },
      );
    listen("dragover", () => setIsOver(true));
    listen("drop", (data) => {
      setIsOver(false);
      void drop(data);
    });
    document.addEventListener(
      "dragleave",
      ({ relatedTarget }) => {
        if (!relatedTarget) setIsOver(false);
      },
      { signal: listeners.signal },
    );
    return () => listeners.abort();
  }, []);
  const choose = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    if (currentTarget.files) void take(takeFiles(chosenFiles(currentTarget.files)));
    // Clears the input, so that choosing the same file again fires another event.
    currentTarget.value = "";
  };
  return (
    <div className="stack file-drop" data-over={isOver}>
      <div className="row muted">
        <span>Drop .md files, a folder or a .zip here, or</span>
        <SmallButton
          size="compact-md"
          leftSection={<FileIcon size={16} />}
          onClick={() => files.current?.click()}
        >
          Choose files
        </SmallButton>
        <SmallButton size="compact-md" onClick={() => folder.current?.click()}>
          Choose a folder
        </SmallButton>
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
