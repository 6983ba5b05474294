import "./soul-files.css";
import { type KeyboardEvent, useId, useState } from "react";
import type { SoulFile } from "../soul-files.ts";
import { FileIcon } from "./icons.tsx";
import { Markdown } from "./markdown.tsx";

/** A soul's text: one tab per file, and no tabs where there is only one. */
export function SoulFiles({ files }: { files: readonly SoulFile[] }) {
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const at = Math.min(chosen, files.length - 1);
  const file = files[at];
  if (!file) return null;
  if (files.length === 1) return <FileText file={file} />;

  const step = ({ key, currentTarget }: KeyboardEvent<HTMLDivElement>) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!move) return;
    const next = (at + move + files.length) % files.length;
    setChosen(next);
    currentTarget.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div>
      <div
        className="soul-files__tabs"
        role="tablist"
        aria-label="Files of this soul"
        onKeyDown={step}
      >
        {files.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-tab-${index}`}
            aria-controls={`${id}-text`}
            aria-selected={index === at}
            tabIndex={index === at ? 0 : -1}
            className="soul-files__tab"
            onClick={() => setChosen(index)}
          >
            <FileIcon size={16} />
            {name}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id={`${id}-text`}
        aria-labelledby={`${id}-tab-${at}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a tab panel without controls takes the focus itself.
        tabIndex={0}
        className="soul-files__text"
      >
        <FileText file={file} />
      </div>
    </div>
  );
}

function FileText({ file: { name, text } }: { file: SoulFile }) {
  const isMarkdown = /\.(md|markdown|txt)$/i.test(name);
  return isMarkdown ? <Markdown text={text} /> : <pre className="soul-files__plain">{text}</pre>;
}
