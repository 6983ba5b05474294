/** Number of words in a reply that is sent at once. */
export const WORDS = 40;
/** The time between two words of a paced reply. */
export const WORD_MS = 20;

/** Numbered words, so that a client detects a missing or repeated one. */
export const wordOf = (n: number): string => `word${n} `;

export const PROMPT = "What do you see tonight, keeper?";
export const PACED_PROMPT = "Take your time: what do you see?";

export const replyOf = (words: number): string =>
  Array.from({ length: words }, (_, n) => wordOf(n)).join("");
