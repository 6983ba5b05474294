import DOMPurify, { type Config } from "dompurify";
import MarkdownIt from "markdown-it";

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
  ALLOWED_ATTR: ["align", "data-language", "href", "start"],
  // These attributes contain no URLs, so DOMPurify does not check them against ALLOWED_URI_REGEXP.
  ADD_URI_SAFE_ATTR: ["align", "data-language", "start"],
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

/**
 * Renders untrusted Markdown as safe elements. Raw HTML is shown as text, images as links. Links
 * with schemes other than http, https and mailto are not rendered.
 */
export function renderMarkdown(text: string): DocumentFragment {
  const html = markdown.render(text);
  const content = purifier.sanitize(html, rules);
  // Each block of the text takes its direction from its first strong character. Code stays left to
  // right.
  for (const block of content.children) {
    if (block instanceof HTMLElement && block.tagName !== "PRE") block.dir = "auto";
  }
  for (const code of content.querySelectorAll("pre")) code.replaceWith(withCopyButton(code));
  return content;
}

/** Adds a copy button to a code block, after sanitizing: DOMPurify would remove the button. */
function withCopyButton(code: HTMLPreElement): HTMLElement {
  const block = document.createElement("div");
  const head = document.createElement("div");
  const label = document.createElement("span");
  const button = document.createElement("button");
  block.className = "code-block";
  head.className = "code-block__head";
  label.textContent = code.dataset.language ?? "";
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy code");
  head.append(label, button);
  block.append(head, code.cloneNode(true));
  return block;
}
