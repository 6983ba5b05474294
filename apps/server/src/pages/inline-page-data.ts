import type { PageData } from "@soul-hub/api";
import type { PageFiles } from "./built-pages.ts";

/** The start of the first font preload in index.html. Styles and scripts are inserted before it. */
const FIRST_PRELOAD = '<link rel="preload"';

/**
 * Adds links to the page's own styles and scripts, and the page's data as JSON (0019). The client
 * needs them for its first render. The browser loads the linked files in parallel with the entry
 * script, with its low priority (vite.config.ts).
 */
export function inlinePageData(
  page: string,
  { files, data }: { files: PageFiles; data: PageData },
): string {
  const links = [
    ...files.styles.map((file) => `<link rel="stylesheet" crossorigin href="${file}">`),
    ...files.scripts.map(
      (file) => `<link rel="modulepreload" fetchpriority="low" crossorigin href="${file}">`,
    ),
  ];
  return page
    .replace(FIRST_PRELOAD, () => [...links, FIRST_PRELOAD].join("\n    "))
    .replace("</body>", () => `${dataBlock(data)}</body>`);
}

/**
 * A script element with JSON: the browser does not run it, and the content security policy allows
 * it.
 */
function dataBlock(data: PageData): string {
  if (Object.keys(data).length === 0) return "";
  // Without "<", no text in the data can close the script element or open a comment.
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  return `  <script type="application/json" id="page-data">${json}</script>\n  `;
}
