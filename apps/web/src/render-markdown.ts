import DOMPurify, { type Config } from "dompurify";
import { Marked, type Tokens } from "marked";

const SAFE_LINK = /^(https?:|mailto:)/i;

const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Raw HTML is shown as the text it is; images become links to what they show. */
const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // The page's own title is the first heading; a text's headings stand below it.
    heading({ tokens, depth }: Tokens.Heading) {
      const tag = `h${Math.min(depth + 1, 6)}`;
      return `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`;
    },
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
    image: ({ href, text }: Tokens.Image) =>
      SAFE_LINK.test(href)
        ? `<a href="${escapeHtml(href)}">${escapeHtml(text || href)}</a>`
        : escapeHtml(text),
  },
});

// An instance of its own: its hooks are nobody else's business.
const purifier = DOMPurify(window);

const rules = {
  // No class: it could borrow the looks of the page's own parts.
  ALLOWED_TAGS: [
    "a",
    "blockquote",
    "br",
    "code",
    "del",
    "em",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "input",
    "li",
    "ol",
    "p",
    "pre",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
  ],
  ALLOWED_ATTR: ["align", "checked", "disabled", "href", "start", "type"],
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
  if (node.tagName === "INPUT" && node.getAttribute("type") !== "checkbox") node.remove();
  // Wide content scrolls by itself; a region that scrolls must be reachable by keyboard.
  if (node.tagName === "PRE" || node.tagName === "TABLE") node.setAttribute("tabindex", "0");
});

/** Markdown of anybody as elements that can do nothing: no HTML, no images, no other links. */
export function renderMarkdown(text: string): DocumentFragment {
  const html = marked.parse(text, { async: false });
  return purifier.sanitize(html, rules);
}
