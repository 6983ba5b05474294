import { Textarea } from "@mantine/core";
import { useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Editor } from "./codemirror.ts";

interface MarkdownEditorProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  hint: string;
  isInvalid: boolean;
}

type CodeMirror = typeof import("./codemirror.ts");

/**
 * A plain text area that becomes CodeMirror once it has the focus. The code of CodeMirror is larger
 * than the rest of the page. The text, the selection, the focus and an undo step carry over.
 */
export function MarkdownEditor({ value, onChange, label, hint, isInvalid }: MarkdownEditorProps) {
  const [codeMirror, setCodeMirror] = useState<CodeMirror>();
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  const isComposing = useRef(false);
  const plain = useRef({ text: value, anchor: 0, head: 0 });

  const load = async (textarea: HTMLTextAreaElement) => {
    // The text comes from the state, because the browser normalizes the line breaks of
    // `textarea.value`. Focusing the field must not change the text.
    plain.current.text = latest.current.value;
    const module = await import("./codemirror.ts");
    const replace = () => {
      if (!textarea.isConnected) return;
      const hasFocus = document.activeElement === textarea;
      const { selectionStart: anchor, selectionEnd: head } = textarea;
      plain.current = { ...plain.current, anchor, head };
      flushSync(() => setCodeMirror(module));
      if (hasFocus) editor.current?.focus();
    };
    // Replacing the text area while an input method composes would lose the composed text.
    if (isComposing.current) textarea.addEventListener("compositionend", replace, { once: true });
    else replace();
  };

  useLayoutEffect(() => {
    if (!codeMirror || !parent.current) return;
    const { text, anchor, head } = plain.current;
    editor.current = codeMirror.createEditor({
      parent: parent.current,
      initialText: text,
      text: latest.current.value,
      selection: { anchor, head },
      hint,
      onChange: (text) => latest.current.onChange(text),
    });
    return () => editor.current?.destroy();
  }, [codeMirror, hint]);
  useLayoutEffect(() => {
    if (codeMirror) editor.current?.setAttributes({ label, isInvalid });
  }, [codeMirror, label, isInvalid]);
  useLayoutEffect(() => {
    // Shows a text that changed outside the editor, e.g. after a draft was discarded.
    editor.current?.setText(value);
  }, [value]);

  return codeMirror ? (
    <div ref={parent} className="markdown-editor" data-error={isInvalid} />
  ) : (
    <Textarea
      aria-label={label}
      placeholder={hint}
      value={value}
      error={isInvalid}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      onFocus={({ currentTarget }) => void load(currentTarget)}
      onCompositionStart={() => {
        isComposing.current = true;
      }}
      onCompositionEnd={() => {
        isComposing.current = false;
      }}
    />
  );
}
