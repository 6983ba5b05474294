/** Number of words in a reply that is sent at once. */
export const WORDS = 40;
/** Number of words in a paced reply: 50 words per second for 10 seconds. */
export const PACED_WORDS = 500;
export const WORD_MS = 20;

/** Numbered words, so that a client detects a missing or repeated one. */
export const wordOf = (n: number): string => `word${n} `;

export const PROMPT = "What do you see tonight, keeper?";
export const PACED_PROMPT = "Take your time: what do you see?";
export const isPaced = (request: string): boolean => request.includes(PACED_PROMPT);

export const PACED_REPLY = Array.from({ length: PACED_WORDS }, (_, n) => wordOf(n)).join("");
