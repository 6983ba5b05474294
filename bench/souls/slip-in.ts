import type { Random } from "./random.ts";

/** Loses, doubles, swaps or replaces a letter within a word of four letters or more. */
export function slipIn(random: Random, text: string): string {
  const below = (limit: number) => Math.floor(random() * limit);
  const words = text.split(" ");
  const long = words.flatMap((word, at) => (/^\p{L}{4,}$/u.test(word) ? [at] : []));
  const at = long[below(long.length)];
  if (at === undefined) return text;
  const word = words[at] ?? "";
  const place = 1 + below(word.length - 2);
  const [before, letter, after] = [word.slice(0, place), word.charAt(place), word.slice(place + 1)];
  const other = String.fromCharCode(97 + below(26));
  const slips = [
    before + after,
    before + letter + letter + after,
    before + after.charAt(0) + letter + after.slice(1),
    before + other + after,
  ];
  words[at] = slips[below(slips.length)] ?? word;
  return words.join(" ");
}
