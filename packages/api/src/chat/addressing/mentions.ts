/**
 * `@` and a handle, as a whole word. Dashes at the end of a word are punctuation: no handle ends with
 * one.
 */
const MENTION = /(?<![\p{L}\p{N}_@])@([a-z0-9]+(?:-+[a-z0-9]+)*)(?!-*[\p{L}\p{N}_])/giu;

/** Returns the mentioned names in lower case, in the order of their first mention, each once. */
export const mentionsIn = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(MENTION), ([, name = ""]) => name.toLowerCase())),
];
