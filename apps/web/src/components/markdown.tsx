import "./markdown.css";
import {
  memo,
  startTransition,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { copyText } from "../copy-text.ts";
import { holdBack } from "../markdown/hold-back.ts";
import { renderMarkdown } from "../markdown/render-markdown.ts";
import {
  loadedRenderers,
  loadRenderer,
  onRendererLoaded,
  type Renderers,
} from "../markdown/renderers.ts";

interface MarkdownProps {
  text: string;
  /** Uses smaller headings and margins, for the messages of a room. */
  compact?: boolean;
  /** True for a reply in progress: what has not been closed yet is held back. */
  isGrowing?: boolean;
}

/**
 * Matches a word of at least 1,000 characters. A text with such a word is rendered without kerning.
 * With kerning, a word of 60,000 letters took the browser 6 s.
 */
const ENDLESS_WORD = /\S{1000}/;
/** Matches all texts with code in a fence or with a formula. Other texts need no further module. */
const HAS_SPECIALS = /```|~~~|\$|\\[([]/;

/** Renders untrusted Markdown. No other component turns text into elements. */
export const Markdown = memo(function Markdown(props: MarkdownProps) {
  const { text, compact = false, isGrowing = false } = props;
  const root = useRef<HTMLDivElement>(null);
  const renderers = useRenderers(HAS_SPECIALS.test(text));
  const { content, needs } = useMemo(
    () => renderMarkdown(isGrowing ? holdBack(text) : text, { ...renderers, isGrowing }),
    [text, isGrowing, renderers],
  );
  useEffect(() => needs.forEach(loadRenderer), [needs]);
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
 * Returns the loaded modules for a text that needs some. A room may show many such texts when a
 * module arrives, so they are rendered again as a transition.
 */
function useRenderers(isNeeded: boolean): Renderers {
  const [renderers, setRenderers] = useState(loadedRenderers);
  useEffect(() => {
    if (!isNeeded) return;
    const update = () => startTransition(() => setRenderers(loadedRenderers()));
    update();
    return onRendererLoaded(update);
  }, [isNeeded]);
  return isNeeded ? renderers : none;
}

const none: Renderers = {};

/**
 * Updates rendered Markdown: replaces the child nodes from the first changed one on. A streaming
 * reply grows at its end. In its unchanged part, selection, focus and scroll position survive.
 */
function replaceChanged(box: HTMLElement, content: DocumentFragment): void {
  // Clones the fragment: React may run the effect twice, and appending a fragment empties it.
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
    button.textContent = isCopied ? "Copied" : "Couldn't copy";
    setTimeout(() => {
      button.textContent = "Copy";
    }, COPIED_MS);
  });
}
