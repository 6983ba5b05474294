const MARKDOWN = "text/markdown";

/**
 * Whether a header `Accept` names Markdown and accepts it at least as much as HTML (RFC 9110,
 * 12.5.1). Browsers do not name it.
 */
export function prefersMarkdown(accept = ""): boolean {
  const weights = new Map(accept.split(",").map(readRange));
  const markdown = weights.get(MARKDOWN) ?? 0;
  const html = weights.get("text/html") ?? weights.get("text/*") ?? weights.get("*/*") ?? 0;
  return markdown > 0 && markdown >= html;
}

/** Reads one range, such as `text/html;q=0.8`. A malformed weight counts as 0. */
function readRange(range: string): [type: string, weight: number] {
  const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  return [type, weight === undefined ? 1 : Number(weight.slice("q=".length)) || 0];
}
