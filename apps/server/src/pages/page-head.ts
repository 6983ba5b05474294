import type { LinkPreview } from "@soul-hub/api";
import { escapeHtml } from "./escape-html.ts";

/** The link preview of pages without a preview of their own. index.html holds the same text. */
const DEFAULT_PREVIEW: LinkPreview = {
  title: "Soul Hub",
  description: "Find an AI soul, read it, and talk to it together with others.",
  type: "website",
};
/** Services that show link previews cut longer descriptions. */
const MAX_DESCRIPTION_CHARS = 300;

/**
 * Writes title, description and Open Graph tags of one path into the page's head.
 * @param index the built index.html
 * @param preview the page's link preview. undefined: the hub's own preview is used; null: the path
 * has no page, so robots must not index it
 */
export function withHead(
  index: string,
  preview: LinkPreview | null | undefined,
  { baseUrl, pathname }: { baseUrl: string; pathname: string },
): string {
  const { title, description, type, picture = "/og.png" } = preview ?? DEFAULT_PREVIEW;
  const documentTitle = preview ? `${title} · Soul Hub` : title;
  const summary = shorten(description);
  const tags = [
    `<title>${escapeHtml(documentTitle)}</title>`,
    metaTag("name", "description", summary),
    metaTag("property", "og:site_name", "Soul Hub"),
    metaTag("property", "og:type", type),
    metaTag("property", "og:title", title),
    metaTag("property", "og:description", summary),
    metaTag("property", "og:image", baseUrl + picture),
    metaTag("property", "og:image:width", "1200"),
    metaTag("property", "og:image:height", "630"),
    metaTag("property", "og:image:alt", title),
    metaTag("name", "twitter:card", "summary_large_image"),
    ...(preview === null ? [] : [metaTag("property", "og:url", baseUrl + pathname)]),
    ...(preview?.markdown
      ? [`<link rel="alternate" type="text/markdown" href="${baseUrl}${preview.markdown}" />`]
      : []),
    ...(preview === null || preview?.isUnlisted ? [metaTag("name", "robots", "noindex")] : []),
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
