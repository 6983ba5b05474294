/**
 * Split a text into sentences, words and graphemes. `cutText` tries their boundaries in this order.
 */
const segmenters = (["sentence", "word", "grapheme"] as const).map(
  (granularity) => new Intl.Segmenter(undefined, { granularity }),
);

/**
 * Cuts a text to at most `maxCharacters` code points. It cuts after a whole sentence, word or
 * grapheme: the first of these that keeps three quarters of the limit.
 */
export function cutText(text: string, maxCharacters: number): string {
  const characters = Array.from(text);
  if (characters.length <= maxCharacters) return text;
  const head = characters.slice(0, maxCharacters).join("");
  // One character more than the limit shows whether a sentence, word or grapheme ends exactly at
  // the limit.
  const beyond = head + characters[maxCharacters];
  for (const segmenter of segmenters) {
    const end = Array.from(segmenter.segment(beyond)).at(-1)?.index ?? 0;
    if (end >= head.length * 0.75) return beyond.slice(0, end).trimEnd();
  }
  return head;
}
