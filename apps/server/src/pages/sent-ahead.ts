import type { PageData } from "@soul-hub/api";
import type { PageFiles } from "./page-files.ts";

/** Where the fonts are asked for: text can be read before they are there. */
const FONTS = '<link rel="preload"';

/**
 * The page with what its first look needs: its own styles and scripts, which the browser fetches
 * beside the entry and not after it, and what the entry would ask the hub for.
 */
export function withAhead(
  page: string,
  { files, data }: { files: PageFiles; data: PageData },
): string {
  const links = [
    ...files.styles.map((file) => `<link rel="stylesheet" crossorigin href="${file}">`),
    ...files.scripts.map((file) => `<link rel="modulepreload" crossorigin href="${file}">`),
  ];
  return page
    .replace(FONTS, () => [...links, FONTS].join("\n    "))
    .replace("</body>", () => `${dataBlock(data)}</body>`);
}

/** A data block: no script to a browser, and not asked about by the content security policy. */
function dataBlock(data: PageData): string {
  if (Object.keys(data).length === 0) return "";
  // Foreign text: without its opening brackets nothing in it ends the block or begins a comment.
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  return `  <script type="application/json" id="page-data">${json}</script>\n  `;
}
