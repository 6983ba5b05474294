import "./markdown.css";
import { memo, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { copyText } from "../copy-text.ts";
import { renderMarkdown } from "../render-markdown.ts";

interface MarkdownProps {
  text: string;
  /** Headings of a message are smaller than those of a page. */
  compact?: boolean;
}

/** Kerned, a word that breaks over many lines is shaped anew for each: 60,000 letters took 6 s. */
const ENDLESS_WORD = /\S{1000}/;

/** Foreign text, made safe. The only place of the client where text becomes elements. */
export const Markdown = memo(function Markdown({ text, compact = false }: MarkdownProps) {
  const root = useRef<HTMLDivElement>(null);
  const content = useMemo(() => renderMarkdown(text), [text]);
  useLayoutEffect(() => {
    if (root.current) replaceChanged(root.current, content);
  }, [content]);
  useEffect(() => {
    const { current: box } = root;
    box?.addEventListener("click", copyCode);
    return () => box?.removeEventListener("click", copyCode);
  }, []);
  const isEndless = useMemo(() => ENDLESS_WORD.test(text), [text]);
  return (
    <div
      ref={root}
      className={compact ? "markdown markdown--compact" : "markdown"}
      data-endless={isEndless}
    />
  );
});

/**
 * A reply grows at its end: what stands before stays as it is, with what a reader has marked,
 * scrolled or put the focus on.
 */
function replaceChanged(box: HTMLElement, content: DocumentFragment): void {
  // A copy: React may run this twice, and a fragment is empty after its first use.
  const fresh = [...content.cloneNode(true).childNodes];
  let same = 0;
  while (box.childNodes[same]?.isEqualNode(fresh[same] ?? null)) same++;
  while (box.childNodes.length > same) box.lastChild?.remove();
  box.append(...fresh.slice(same));
}

const COPIED_MS = 2_000;

function copyCode({ target }: MouseEvent): void {
  const button = target instanceof Element ? target.closest(".code-block__head button") : null;
  const code = button?.closest(".code-block")?.querySelector("pre");
  if (!button || !code) return;
  void copyText(code.textContent).then((isCopied) => {
    button.textContent = isCopied ? "Copied" : "Not allowed";
    setTimeout(() => {
      button.textContent = "Copy";
    }, COPIED_MS);
  });
}
