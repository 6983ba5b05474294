import type { LinkPreview } from "@soul-hub/api";

/** What every page says of itself that says nothing of its own; index.html holds the same words. */
const HUB: LinkPreview = {
  title: "Soul Hub",
  description: "Find an AI soul, read it, and talk to it together with others.",
  type: "website",
};
/** Readers of previews cut what is longer anyway. */
const MAX_DESCRIPTION_CHARS = 300;

/**
 * The page's HTML with the head of one address: title, description and Open Graph data.
 * @param index the built index.html
 * @param preview null or undefined: nothing in particular
 */
export function withHead(
  index: string,
  preview: LinkPreview | null | undefined,
  { baseUrl, pathname }: { baseUrl: string; pathname: string },
): string {
  const { title, description, type } = preview ?? HUB;
  const shown = preview ? `${title} · Soul Hub` : title;
  const summary = shorten(description);
  const tags = [
    `<title>${escapeHtml(shown)}</title>`,
    metaTag("name", "description", summary),
    metaTag("property", "og:site_name", "Soul Hub"),
    metaTag("property", "og:type", type),
    metaTag("property", "og:title", title),
    metaTag("property", "og:description", summary),
    metaTag("property", "og:image", `${baseUrl}/og.png`),
    metaTag("name", "twitter:card", "summary_large_image"),
    // An address that shows nothing to everybody is none to be found by.
    preview === null
      ? metaTag("name", "robots", "noindex")
      : metaTag("property", "og:url", baseUrl + pathname),
  ];
  return index
    .replace(/<meta name="description"[^>]*>\s*/, "")
    .replace(/<title>[^<]*<\/title>/, () => tags.join("\n    "));
}

const metaTag = (kind: "name" | "property", name: string, content: string) =>
  `<meta ${kind}="${name}" content="${escapeHtml(content)}" />`;

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const characters = [...line];
  return characters.length <= MAX_DESCRIPTION_CHARS
    ? line
    : `${characters.slice(0, MAX_DESCRIPTION_CHARS - 1).join("")}…`;
}

/** Foreign text inside an element or a quoted attribute. */
const escapeHtml = (text: string) =>
  text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
