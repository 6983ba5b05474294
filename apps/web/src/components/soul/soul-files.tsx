import "@mantine/core/styles/Tabs.css";
import "./soul-files.css";
import { Tabs } from "@mantine/core";
import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import type { SoulFile } from "../../soul-files.ts";
import { FileIcon } from "../icons.tsx";
import { Markdown } from "../markdown.tsx";

/** A soul's text, with one tab per file; a single file has no tab. Paper has no tabs. */
export function SoulFiles({ files }: { files: readonly SoulFile[] }) {
  const isPrinting = usePrinting();
  const [first, ...more] = files;
  if (!first) return null;
  if (more.length === 0) return <FileText file={first} />;
  if (isPrinting) return files.map((file) => <PrintedFile key={file.name} file={file} />);
  const names = files.map(({ name }) => name);
  return (
    // A new React key selects the first file when the files change, since the chosen file may be
    // gone.
    <Tabs key={names.join("/")} defaultValue={first.name} keepMounted={false}>
      <Tabs.List className="soul-files__tabs" mb="lg" aria-label="Files of this soul">
        {names.map((name) => (
          <Tabs.Tab key={name} value={name} leftSection={<FileIcon size={16} />}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {files.map((file) => (
        // A tab panel without controls must be focusable (ARIA tabs pattern).
        <Tabs.Panel key={file.name} value={file.name} tabIndex={0}>
          <FileText file={file} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function PrintedFile({ file }: { file: SoulFile }) {
  return (
    <section>
      <h2 className="soul-files__name">{file.name}</h2>
      <FileText file={file} />
    </section>
  );
}

function FileText({ file: { name, text } }: { file: SoulFile }) {
  const isMarkdown = /\.(md|markdown|txt)$/i.test(name);
  return isMarkdown ? (
    <Markdown text={text} />
  ) : (
    <pre className="code long-text soul-files__plain" dir="auto">
      {text}
    </pre>
  );
}

/** Returns true while the browser prints the page. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // The browser prints the page as soon as the listeners return, so React renders at once.
    const set = (value: boolean) => () => flushSync(() => setPrinting(value));
    const listeners = new AbortController();
    const { signal } = listeners;
    addEventListener("beforeprint", set(true), { signal });
    addEventListener("afterprint", set(false), { signal });
    return () => listeners.abort();
  }, []);
  return isPrinting;
}
