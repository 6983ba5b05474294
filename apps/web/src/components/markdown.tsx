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
import { whenSeen } from "../markdown/when-seen.ts";

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
  useEffect(() => {
    if (needs.includes("typeset")) loadRenderer("typeset");
    const colours = needs.filter((name) => name !== "typeset" && !renderers[name]);
    if (colours.length === 0) return;
    // Colours change no sizes, so code outside the view can wait for them.
    const code = root.current?.querySelectorAll(".code-block") ?? [];
    return whenSeen(code, () => colours.forEach(loadRenderer));
  }, [needs, renderers]);
  useLayoutEffect(() => {
    // The effect takes a copy: React may run it twice, and moving nodes empties the fragment.
    if (root.current) replaceChanged(root.current, content.cloneNode(true));
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
 * Updates rendered Markdown: replaces the nodes that differ, as deep as possible. Selection, focus
 * and scroll position survive around them, while a reply grows and when a renderer arrives late.
 */
function replaceChanged(box: Element, content: Node): void {
  const fresh = [...content.childNodes];
  for (const [index, node] of fresh.entries()) {
    const old = box.childNodes[index];
    if (!old) box.append(node);
    else if (old.isEqualNode(node)) continue;
    else if (old instanceof Element && hasSameTag(old, node)) replaceChanged(old, node);
    else old.replaceWith(node);
  }
  while (box.childNodes.length > fresh.length) box.lastChild?.remove();
}

/** Compares name and attributes of two nodes, and not their children. */
const hasSameTag = (old: Node, node: Node) =>
  old.cloneNode(false).isEqualNode(node.cloneNode(false));

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
