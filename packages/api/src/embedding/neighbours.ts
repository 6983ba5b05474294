const LETTERS = Array.from("abcdefghijklmnopqrstuvwxyz");

/** Returns all words that one lost, doubled, swapped or wrong letter turns into the given one. */
export function neighboursOf(word: string): string[] {
  const cuts = Array.from({ length: word.length + 1 }, (_, at) => [
    word.slice(0, at),
    word.slice(at),
  ]);
  return cuts.flatMap(([before = "", after = ""]) => [
    ...(after ? [before + after.slice(1)] : []),
    ...(after.length > 1 ? [before + after.charAt(1) + after.charAt(0) + after.slice(2)] : []),
    ...(after ? LETTERS.map((letter) => before + letter + after.slice(1)) : []),
    ...LETTERS.map((letter) => before + letter + after),
  ]);
}
