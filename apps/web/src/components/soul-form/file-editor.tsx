import { Button, SegmentedControl, TextInput } from "@mantine/core";
import { useDeferredValue, useState } from "react";
import { exactCount } from "../../counts.ts";
import { countCharacters, limits, type SoulFile } from "../../soul-files.ts";
import { TrashIcon } from "../icons.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { AddFiles } from "./add-files.tsx";
import { MarkdownEditor } from "./markdown-editor.tsx";
import { addFiles, nameProblemAt } from "./soul-draft.ts";

/** The Markdown renderer loads with the first text to preview. */
const Markdown = lazyPart(() => import("../markdown.tsx"), "Markdown");

interface FileEditorProps {
  files: SoulFile[];
  onChange: (files: SoulFile[]) => void;
  /**
   * The content to publish. A folder is published as JSON, which is longer than the sum of its
   * files.
   */
  content: string;
  error: string | undefined;
  isNew: boolean;
}

export function FileEditor({ files, onChange, content, error, isNew }: FileEditorProps) {
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, files.length - 1);
  const file = files[at] ?? { name: "SOUL.md", text: "" };
  const names = files.map(({ name }) => name);
  const isFolder = files.length > 1 || file.name !== "SOUL.md";

  const change = (part: Partial<SoulFile>) =>
    onChange(files.map((other, index) => (index === at ? { ...other, ...part } : other)));
  const add = (name: string) => {
    onChange([...files, { name, text: "" }]);
    setChosen(files.length);
  };
  const remove = () => {
    onChange(files.filter((_, index) => index !== at));
    setChosen(Math.max(0, at - 1));
  };
  return (
    <>
      <div className="row">
        {files.map(({ name }, index) => (
          <button
            key={index}
            type="button"
            className="chip file-editor__tab"
            aria-pressed={index === at}
            data-wrong={nameProblemAt(names, index) !== undefined}
            onClick={() => setChosen(index)}
          >
            {name || "unnamed"}
          </button>
        ))}
      </div>
      <AddFiles
        names={names}
        onFiles={(more) => onChange(addFiles(files, more))}
        onEmpty={add}
        takesSouls={isNew}
      />
      {isFolder && (
        <div className="row file-editor__name">
          <TextInput
            size="sm"
            aria-label="Name of this file"
            value={file.name}
            maxLength={100}
            spellCheck={false}
            error={nameProblemAt(names, at)}
            onChange={({ currentTarget }) => change({ name: currentTarget.value })}
          />
          {files.length > 1 && (
            <Button
              variant="subtle"
              color="red"
              size="sm"
              leftSection={<TrashIcon size={17} />}
              onClick={remove}
            >
              Remove file
            </Button>
          )}
        </div>
      )}
      <Panes fileKey={at} file={file} onText={(text) => change({ text })} error={error} />
      <Counter content={content} fileCount={files.length} />
    </>
  );
}

interface PanesProps {
  /** The React key of a file's editor. Each file has an editor with its own undo history. */
  fileKey: number;
  file: SoulFile;
  onText: (text: string) => void;
  error: string | undefined;
}

const HINT = "# Who you are\n\nYou are a patient guide to the night sky…";
const hints: Readonly<Record<string, string>> = {
  "greeting.md": "Good evening. Is the sky clear where you are?",
  "starters.md": "What can I see tonight?\nHow do I find the north?",
};

function Panes({ fileKey, file, onText, error }: PanesProps) {
  const [shown, setShown] = useState("write");
  const label = `Text of ${file.name || "this file"}`;
  // The preview is deferred, so that rendering a long text does not delay typing.
  const previewed = useDeferredValue(file.text);
  return (
    <>
      <SegmentedControl
        className="file-editor__switch"
        fullWidth
        value={shown}
        onChange={setShown}
        data={[
          { value: "write", label: "Write" },
          { value: "preview", label: "Preview" },
        ]}
      />
      <div className="file-editor__panes" data-shown={shown}>
        <div className="file-editor__text">
          <MarkdownEditor
            key={fileKey}
            label={label}
            hint={hints[file.name.toLowerCase()] ?? HINT}
            value={file.text}
            isInvalid={error !== undefined}
            onChange={onText}
          />
          {error && (
            <p className="small file-editor__error" role="alert">
              {error}
            </p>
          )}
        </div>
        <section className="file-editor__preview" aria-label="Preview">
          {previewed.trim() ? (
            <Markdown text={previewed} />
          ) : (
            <p className="muted">Your text appears here as readers will see it.</p>
          )}
        </section>
      </div>
    </>
  );
}

function Counter({ content, fileCount }: { content: string; fileCount: number }) {
  const deferred = useDeferredValue(content);
  const count = countCharacters(deferred);
  return (
    <div className="row row--apart small file-editor__foot">
      <span>Markdown is supported. HTML and images appear as text.</span>
      <span data-over={count > limits.content}>
        {exactCount(count)} of {exactCount(limits.content)} characters
        {fileCount > 1 && ` in ${fileCount} files`}
      </span>
    </div>
  );
}
