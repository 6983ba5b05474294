import { acceptedRanges, weightOf } from "@soul-hub/api";

const MARKDOWN = "text/markdown";

/**
 * Whether a header `Accept` names Markdown and accepts it at least as much as HTML (RFC 9110,
 * 12.5.1). Browsers do not name it.
 */
export function prefersMarkdown(accept = ""): boolean {
  const ranges = acceptedRanges(accept);
  const markdown = ranges.get(MARKDOWN) ?? 0;
  return markdown > 0 && markdown >= weightOf("text/html", ranges);
}
