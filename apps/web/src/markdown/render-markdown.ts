import DOMPurify, { type Config } from "dompurify";
import MarkdownIt from "markdown-it";
import readCjkEmphasis from "markdown-it-cjk-friendly";
import { codeBlock } from "./code-block.ts";
import { parseMath } from "./math-rule.ts";
import { isFrequent, type Renderers } from "./renderers.ts";
import { addCheckBoxes, parseTaskLists } from "./task-lists.ts";

/** Matches the language at the start of the info string of a fenced code block. */
const LANGUAGE = /^[\w+#.-]{1,24}/;
const SAFE_LINK = /^(https?:|mailto:)/i;

/**
 * The parser shows raw HTML as text and images as links. markdown-it parses any text of 200,000
 * characters in about a second. A parser built on regular expressions took a minute for a hostile
 * text.
 */
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });
// Links need a scheme: otherwise "readme.md" would become a link to a host of that name.
markdown.linkify.set({ fuzzyLink: false });
markdown.validateLink = (href) => SAFE_LINK.test(href);
const { escapeHtml } = markdown.utils;
// Chinese and Japanese have no spaces around marks: **“…”** after a letter is emphasis, too.
readCjkEmphasis(markdown);
parseMath(markdown);
parseTaskLists(markdown);

markdown.core.ruler.push("fit_page", ({ tokens }) => {
  for (const token of tokens) {
    // The page title is the only h1, so headings of the text start at h2.
    if (token.type === "heading_open" || token.type === "heading_close") {
      token.tag = `h${Math.min(Number(token.tag.slice(1)) + 1, 6)}`;
    }
    // DOMPurify removes style attributes, so the `align` attribute carries column alignment.
    const aligned = /^text-align:(\w+)$/.exec(String(token.attrGet("style")))?.[1];
    if (aligned) token.attrs = [["align", aligned]];
  }
});
markdown.renderer.rules.image = (tokens, at) => {
  const { content, attrs } = tokens[at] ?? {};
  const href = String(attrs?.find(([name]) => name === "src")?.[1] ?? "");
  return `<a href="${escapeHtml(href)}">${escapeHtml(content || href)}</a>`;
};
markdown.renderer.rules.fence = (tokens, at) => {
  const { info = "", content = "" } = tokens[at] ?? {};
  const [language] = LANGUAGE.exec(info.trim()) ?? [];
  const label = language ? ` data-language="${escapeHtml(language)}"` : "";
  return `<pre${label}><code>${escapeHtml(content)}</code></pre>\n`;
};

// A DOMPurify instance of its own keeps the hook below local to this module.
const purifier = DOMPurify(window);

const TAGS =
  "a blockquote br code em h2 h3 h4 h5 h6 hr li ol p pre s strong table tbody td th thead tr ul";

const rules = {
  // Class attributes are removed, because a text with them could imitate parts of the page.
  ALLOWED_TAGS: TAGS.split(" "),
  ALLOWED_ATTR: ["align", "data-language", "data-math", "data-task", "href", "start"],
  // These attributes contain no URLs, so DOMPurify does not check them against ALLOWED_URI_REGEXP.
  ADD_URI_SAFE_ATTR: ["align", "data-language", "data-math", "data-task", "start"],
  ALLOWED_URI_REGEXP: SAFE_LINK,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true as const,
} satisfies Config;

purifier.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    if (!node.hasAttribute("href")) return;
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
  // A code block or table that scrolls must be reachable by keyboard.
  if (node.tagName === "PRE" || node.tagName === "TABLE") node.setAttribute("tabindex", "0");
});

/** A highlighter's output: nothing but text in spans with classes. */
const highlighted = {
  ALLOWED_TAGS: ["span"],
  ALLOWED_ATTR: ["class"],
  RETURN_DOM_FRAGMENT: true as const,
} satisfies Config;

/** Longer code and formulas stay plain, because a hostile text would block the page. */
const CODE_MAX = 20_000;
const FORMULA_MAX = 2_000;
const FORMULAS_MAX = 300;

interface RenderOptions extends Renderers {
  /** True while the text still grows at its end. */
  isGrowing?: boolean;
}

export interface RenderedMarkdown {
  content: DocumentFragment;
  /** The modules that the text needs. */
  needs: readonly (keyof Renderers)[];
}

/**
 * Renders untrusted Markdown as safe elements. Raw HTML is shown as text, images as links. Links
 * with schemes other than http, https and mailto are not rendered. Without its module, code has no
 * colours, and a formula shows its source.
 */
export function renderMarkdown(text: string, options: RenderOptions = {}): RenderedMarkdown {
  const { typeset, isGrowing = false } = options;
  const html = markdown.render(text);
  const content = purifier.sanitize(html, rules);
  // Each block of the text takes its direction from its first strong character. Code stays left to
  // right.
  for (const block of content.children) {
    if (block instanceof HTMLElement && block.tagName !== "PRE") block.dir = "auto";
  }
  addCheckBoxes(content);
  const needs: (keyof Renderers)[] = [];
  for (const pre of content.querySelectorAll("pre")) {
    const language = pre.dataset.language?.toLowerCase();
    if (language && pre.textContent.length <= CODE_MAX) {
      const renderer = isFrequent(language) ? "highlight" : "highlightMore";
      needs.push(renderer);
      const highlight = options[renderer];
      if (highlight) colour(pre, language, highlight);
    }
    pre.replaceWith(codeBlock(pre, isGrowing && pre === content.lastElementChild));
  }
  const formulas = [...content.querySelectorAll<HTMLElement>("code[data-math]")]
    .slice(0, FORMULAS_MAX)
    .filter(({ textContent }) => textContent.length <= FORMULA_MAX);
  if (formulas.length > 0) needs.push("typeset");
  if (typeset) for (const formula of formulas) replaceFormula(formula, typeset);
  return { content, needs };
}

/** Results by their source: each piece of a streaming reply renders the whole text again. */
const cache = new Map<string, Node | undefined>();
const CACHE_ENTRIES = 400;

function cached<T extends Node>(key: string, make: () => T | undefined): T | undefined {
  if (!cache.has(key)) {
    if (cache.size >= CACHE_ENTRIES) cache.clear();
    cache.set(key, make());
  }
  return cache.get(key)?.cloneNode(true) as T | undefined;
}

function colour(
  pre: HTMLElement,
  language: string,
  highlight: NonNullable<Renderers["highlight"]>,
): void {
  const code = pre.textContent;
  const coloured = cached(`${language}\n${code}`, () => {
    const spans = highlight(code, language);
    return spans === undefined ? undefined : purifier.sanitize(spans, highlighted);
  });
  if (coloured) pre.querySelector("code")?.replaceChildren(coloured);
}

function replaceFormula(formula: HTMLElement, typeset: NonNullable<Renderers["typeset"]>): void {
  const { textContent: source } = formula;
  const isDisplay = formula.dataset.math === "block";
  const box = cached(`${formula.dataset.math} ${source}`, () => {
    try {
      return typeset(source, isDisplay);
    } catch {
      // A hostile formula, e.g. one that is nested too deeply, shows its source.
      return undefined;
    }
  });
  if (box) formula.replaceWith(box);
}
