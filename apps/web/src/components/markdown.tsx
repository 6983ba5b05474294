import "./markdown.css";
import { memo, useLayoutEffect, useMemo, useRef } from "react";
import { renderMarkdown } from "../render-markdown.ts";

interface MarkdownProps {
  text: string;
  /** Headings of a message are smaller than those of a page. */
  compact?: boolean;
}

/** Foreign text, made safe. The only place of the client where text becomes elements. */
export const Markdown = memo(function Markdown({ text, compact = false }: MarkdownProps) {
  const root = useRef<HTMLDivElement>(null);
  const content = useMemo(() => renderMarkdown(text), [text]);
  useLayoutEffect(() => {
    // A copy: React may run this twice, and a fragment is empty after its first use.
    root.current?.replaceChildren(content.cloneNode(true));
  }, [content]);
  return <div ref={root} className={compact ? "markdown markdown--compact" : "markdown"} />;
});
