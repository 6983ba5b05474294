/** Sentences before words before letters: the largest that does not cost a quarter of the text. */
const cuts = (["sentence", "word", "grapheme"] as const).map(
  (granularity) => new Intl.Segmenter(undefined, { granularity }),
);

/** The beginning of a text, at most so many characters, that ends where one can end. */
export function cutText(text: string, maxCharacters: number): string {
  const characters = Array.from(text);
  if (characters.length <= maxCharacters) return text;
  const head = characters.slice(0, maxCharacters).join("");
  // One more shows whether something ends just there.
  const beyond = head + characters[maxCharacters];
  for (const segmenter of cuts) {
    const end = Array.from(segmenter.segment(beyond)).at(-1)?.index ?? 0;
    if (end >= head.length * 0.75) return beyond.slice(0, end).trimEnd();
  }
  return head;
}
