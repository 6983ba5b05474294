import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { markdown } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";

interface MarkdownEditorProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  hint: string;
  isInvalid: boolean;
}

/** Markdown with its structure visible. Tab leaves it, as everywhere: no trap for the keyboard. */
export function MarkdownEditor({ value, onChange, label, hint, isInvalid }: MarkdownEditorProps) {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };

  useEffect(() => {
    if (!parent.current) return;
    const editor = new EditorView({
      parent: parent.current,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: [
          history(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          markdown(),
          syntaxHighlighting(highlighting),
          EditorView.lineWrapping,
          placeholder(hint),
          looks,
          EditorView.contentAttributes.of({
            "aria-label": label,
            "aria-multiline": "true",
            "aria-invalid": String(isInvalid),
            spellcheck: "true",
            tabindex: "0",
          }),
          EditorView.updateListener.of(({ docChanged, state }) => {
            if (docChanged) latest.current.onChange(state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, hint, isInvalid]);

  useEffect(() => {
    // A draft that is thrown away, a file that was dropped in: not what is being typed.
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  return <div ref={parent} className="markdown-editor" data-error={isInvalid} />;
}

const highlighting = HighlightStyle.define([
  { tag: tags.heading, color: "var(--ink)", fontWeight: "700" },
  { tag: tags.strong, fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: [tags.link, tags.url], color: "var(--accent-text)" },
  { tag: [tags.processingInstruction, tags.contentSeparator], color: "var(--ink-3)" },
  { tag: tags.monospace, color: "var(--accent-text)" },
  { tag: tags.quote, color: "var(--ink-2)" },
]);

const looks = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--raised)", color: "var(--ink)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": {
    fontFamily: "var(--font-code)",
    fontSize: "0.9rem",
    lineHeight: "1.6",
    overflow: "auto",
  },
  ".cm-content": { padding: "0.8rem 0.4rem", caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-placeholder": { color: "var(--ink-3)" },
  "&.cm-focused .cm-selectionBackground, ::selection": {
    backgroundColor: "var(--accent-soft-hover)",
  },
});
