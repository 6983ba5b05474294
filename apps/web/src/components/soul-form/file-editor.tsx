import { Button, SegmentedControl, Textarea, TextInput } from "@mantine/core";
import { useDeferredValue, useState } from "react";
import { countCharacters, limits, type SoulFile } from "../../soul-files.ts";
import { PlusIcon, TrashIcon } from "../icons.tsx";
import { Markdown } from "../markdown.tsx";
import { nameProblemAt } from "./soul-draft.ts";

interface FileEditorProps {
  files: SoulFile[];
  onChange: (files: SoulFile[]) => void;
  /** What is published, which for a folder is more than the sum of its files. */
  content: string;
  error: string | undefined;
}

const usualNames = ["SOUL.md", "STYLE.md", "RULES.md", "SAFETY.md", "EXAMPLES.md"];

export function FileEditor({ files, onChange, content, error }: FileEditorProps) {
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, files.length - 1);
  const file = files[at] ?? { name: "SOUL.md", text: "" };
  const names = files.map(({ name }) => name);
  const isFolder = files.length > 1 || file.name !== "SOUL.md";

  const change = (part: Partial<SoulFile>) =>
    onChange(files.map((other, index) => (index === at ? { ...other, ...part } : other)));
  const add = () => {
    const name =
      usualNames.find((usual) => !names.includes(usual)) ?? `FILE-${files.length + 1}.md`;
    onChange([...files, { name, text: "" }]);
    setChosen(files.length);
  };
  const remove = () => {
    onChange(files.filter((_, index) => index !== at));
    setChosen(Math.max(0, at - 1));
  };
  return (
    <div className="soul-form__files">
      <div className="file-editor__tabs">
        {files.map(({ name }, index) => (
          <button
            key={index}
            type="button"
            className="file-editor__tab"
            aria-pressed={index === at}
            data-wrong={nameProblemAt(names, index) !== undefined}
            onClick={() => setChosen(index)}
          >
            {name || "no name"}
          </button>
        ))}
        <Button
          variant="subtle"
          size="compact-md"
          leftSection={<PlusIcon size={16} />}
          disabled={files.length >= limits.files}
          onClick={add}
        >
          Add a file
        </Button>
      </div>
      {isFolder && (
        <div className="file-editor__name">
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
      <Panes file={file} onText={(text) => change({ text })} error={error} />
      <Counter content={content} fileCount={files.length} />
    </div>
  );
}

interface PanesProps {
  file: SoulFile;
  onText: (text: string) => void;
  error: string | undefined;
}

function Panes({ file, onText, error }: PanesProps) {
  const [shown, setShown] = useState("write");
  // Typing stays quick however long the soul is.
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
        <Textarea
          className="file-editor__text"
          aria-label={`Text of ${file.name || "this file"}`}
          placeholder={"# Who you are\n\nYou are a patient guide to the night sky…"}
          value={file.text}
          error={error}
          onChange={({ currentTarget }) => onText(currentTarget.value)}
        />
        <section className="file-editor__preview" aria-label="Preview">
          {previewed.trim() ? (
            <Markdown text={previewed} />
          ) : (
            <p>What you write appears here as readers will see it.</p>
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
    <div className="file-editor__foot">
      <span>Markdown works. HTML and images are shown as text.</span>
      <span data-over={count > limits.content}>
        {count.toLocaleString("en")} of {limits.content.toLocaleString("en")} characters
        {fileCount > 1 && ` in ${fileCount} files`}
      </span>
    </div>
  );
}
