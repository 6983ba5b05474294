import { withoutImageMark } from "../ui/image-mark.ts";

/** The words of a message on one line, without the signs of Markdown. */
export function plainLine(content: string): string {
  const words = withoutImageMark(content) ?? content;
  const line = words
    .replace(/^\s*(?:#{1,6}|>|```\S*)(?:\s|$)/gm, "")
    .replace(/\*\*|~~|`/g, "")
    .replace(/(^|\s)\*(\S(?:[^*]*\S)?)\*/g, "$1$2")
    .replace(/\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
  return line || "a picture";
}
