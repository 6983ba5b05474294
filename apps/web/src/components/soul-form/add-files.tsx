import { Button } from "@mantine/core";
import { type ChangeEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import { chosenFiles, droppedFiles, type TakenFiles, takeFiles } from "../../dropped-files.ts";
import { limits, type SoulFile } from "../../soul-files.ts";
import { toast } from "../feedback/toasts.tsx";
import { PlusIcon } from "../icons.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";

const ImportDialog = lazyPart(() => import("../exchange/import-dialog.tsx"), "ImportDialog");

/** The maximum number of rejected files that a toast names. */
const REASONS_SHOWN = 3;

/** The files with a meaning of their own in a room. */
const rolesOfFiles = {
  "GREETING.md": "What the soul says first in a new room. Nobody pays for it.",
  "STARTERS.md": "First messages to choose from, one on each line. The soul does not read them.",
};

const usualNames = ["SOUL.md", "STYLE.md", "RULES.md", "SAFETY.md", "EXAMPLES.md"];

interface AddFilesProps {
  /** The names of the draft's files. */
  names: readonly string[];
  onFiles: (files: SoulFile[]) => void;
  onEmpty: (name: string) => void;
  /** True for a new soul: a card or a package becomes a soul of its own. */
  takesSouls: boolean;
}

/** The one entrance for files: new ones, and those of the device, chosen or dropped on the page. */
export function AddFiles({ names, onFiles, onEmpty, takesSouls }: AddFilesProps) {
  const [isOver, setIsOver] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const [soul, setSoul] = useState<File>();
  const button = useRef<HTMLButtonElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);

  const take = async (given: File[], taking: ReturnType<typeof droppedFiles>) => {
    const [only] = given;
    if (takesSouls && only && given.length === 1 && (await isSoul(only))) setSoul(only);
    else report(await takeFiles(await taking), onFiles);
  };
  const drop = useEffectEvent((data: DataTransfer) => take([...data.files], droppedFiles(data)));
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
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const given = [...(currentTarget.files ?? [])];
    void take(given, Promise.resolve(chosenFiles(given)));
    // Clears the input, so that choosing the same file again fires another event.
    currentTarget.value = "";
  };
  const close = () => {
    setSoul(undefined);
    button.current?.focus();
  };
  const present = new Set(names.map((name) => name.toLowerCase()));
  const next = usualNames.find((usual) => !names.includes(usual)) ?? `FILE-${names.length + 1}.md`;
  const offers: [name: string, words: string, run: () => void][] = [
    ...Object.entries(rolesOfFiles)
      .filter(([name]) => !present.has(name.toLowerCase()))
      .map(([name, words]) => [name, words, () => onEmpty(name)] satisfies (typeof offers)[number]),
    ["A new file", `Such as ${next}. The soul reads it.`, () => onEmpty(next)],
    [
      "From this device",
      takesSouls
        ? "Texts, a .zip, or a character card (PNG, JSON, CHARX)."
        : "Texts, or a .zip with texts.",
      () => files.current?.click(),
    ],
    ["A folder", "All texts in it.", () => folder.current?.click()],
  ];
  return (
    <div className="stack stack--close file-drop" data-over={isOver}>
      <div className="row">
        <Button
          ref={button}
          variant="subtle"
          size="compact-md"
          leftSection={<PlusIcon size={16} />}
          aria-expanded={isOpen}
          disabled={names.length >= limits.files}
          onClick={() => setIsOpen(!isOpen)}
        >
          Add a file
        </Button>
        <span className="muted file-drop__hint">
          or drop files{takesSouls && ", a character card"} or a folder on this page
        </span>
      </div>
      {isOpen && (
        <ul className="columns">
          {offers.map(([name, words, run]) => (
            <li key={name}>
              <button
                type="button"
                className="item item--choice item--framed"
                onClick={() => {
                  setIsOpen(false);
                  run();
                  button.current?.focus();
                }}
              >
                <span className="item__words">
                  <strong>{name}</strong>
                  <small>{words}</small>
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        ref={files}
        type="file"
        multiple
        hidden
        accept={`.md,.mdc,.markdown,.txt,.json,.yaml,.yml,.zip${takesSouls ? ",.png,.charx" : ""}`}
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
      {soul && (
        <ImportDialog
          file={soul}
          onClose={close}
          onTexts={() => {
            close();
            void takeFiles(chosenFiles([soul])).then((taken) => report(taken, onFiles));
          }}
        />
      )}
    </div>
  );
}

/** True for a file that may hold a whole soul: a card, a package, or a text with front matter. */
const isSoul = async (file: File): Promise<boolean> =>
  /\.(?:png|charx|json|zip|mdc)$/i.test(file.name) ||
  (/\.(?:md|markdown|txt)$/i.test(file.name) && /^---\r?\n/.test(await file.slice(0, 5).text()));

function report({ files, leftOut }: TakenFiles, onFiles: AddFilesProps["onFiles"]): void {
  if (files.length > 0) onFiles(files);
  const reasons = leftOut.slice(0, REASONS_SHOWN).map(({ name, reason }) => `${name} ${reason}`);
  if (leftOut.length > REASONS_SHOWN) reasons.push(`${leftOut.length - REASONS_SHOWN} more`);
  const message = reasons.join(" · ");
  if (files.length === 0) return void toast({ color: "red", message });
  const title = files.length === 1 ? "1 file added" : `${files.length} files added`;
  void toast({ title, message });
}
