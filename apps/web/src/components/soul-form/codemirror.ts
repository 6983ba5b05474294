import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { markdown } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, RangeSetBuilder } from "@codemirror/state";
import { Decoration, EditorView, keymap, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export interface ContentAttributes {
  label: string;
  isInvalid: boolean;
}

interface EditorOptions {
  parent: HTMLElement;
  /** The oldest text that undo can restore. */
  initialText: string;
  text: string;
  /** Offsets of the selection in `text`, in UTF-16 code units. */
  selection: { anchor: number; head: number };
  hint: string;
  onChange: (text: string) => void;
}

export type Editor = ReturnType<typeof createEditor>;

/** Mounts a Markdown editor. The Tab key leaves the editor, so that the focus is not trapped. */
export function createEditor(options: EditorOptions) {
  const { parent, initialText, text, selection, hint, onChange } = options;
  let attributes: ContentAttributes = { label: "", isInvalid: false };
  const content = new Compartment();
  const createState = (doc: string) =>
    EditorState.create({
      doc,
      extensions: [
        history(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        markdown(),
        syntaxHighlighting(highlighting),
        EditorView.lineWrapping,
        lineDirection,
        placeholder(hint),
        editorTheme,
        content.of(contentAttributes(attributes)),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange(state.doc.toString());
        }),
      ],
    });
  const view = new EditorView({ parent, state: createState(initialText) });
  if (text !== initialText) {
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  }
  view.dispatch({ selection, scrollIntoView: true });
  return {
    focus: () => view.focus(),
    destroy: () => view.destroy(),
    /** Replaces the text after a change outside the editor, and starts a new undo history. */
    setText(next: string) {
      if (view.state.doc.toString() !== next) view.setState(createState(next));
    },
    setAttributes(next: ContentAttributes) {
      attributes = next;
      view.dispatch({ effects: content.reconfigure(contentAttributes(next)) });
    },
  };
}

const contentAttributes = ({ label, isInvalid }: ContentAttributes) =>
  EditorView.contentAttributes.of({
    "aria-label": label,
    "aria-multiline": "true",
    "aria-invalid": String(isInvalid),
    spellcheck: "true",
    tabindex: "0",
  });

/** Gives each line the direction of its first strong character, as `dir="auto"` does. */
const lineDirection = [
  EditorView.perLineTextDirection.of(true),
  EditorView.decorations.of(({ state, visibleRanges }) => {
    const lines = new RangeSetBuilder<Decoration>();
    for (const { from, to } of visibleRanges) {
      for (let at = from; at <= to; ) {
        const line = state.doc.lineAt(at);
        lines.add(line.from, line.from, autoDirection);
        at = line.to + 1;
      }
    }
    return lines.finish();
  }),
];
const autoDirection = Decoration.line({ attributes: { dir: "auto" } });

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

const editorTheme = EditorView.theme({
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
