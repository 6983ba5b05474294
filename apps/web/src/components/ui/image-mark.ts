/** Images are not stored: the question ends in this mark (decisions §5, Images). */
const MARK = "[image]";

export const withImageMark = (text: string): string => [text, MARK].filter(Boolean).join("\n\n");

/** Returns a stored question without its mark; undefined if it had no image. */
export function withoutImageMark(stored: string): string | undefined {
  if (stored === MARK) return "";
  const end = `\n\n${MARK}`;
  return stored.endsWith(end) ? stored.slice(0, -end.length) : undefined;
}
