/** What the provider of the bench says; who listens can tell whether all of it came. */

/** Of a reply that comes at once. */
export const WORDS = 40;
/** Of one that takes its time: 50 words a second for 10 seconds. */
export const PACED_WORDS = 500;
export const WORD_MS = 20;

export const wordOf = (n: number): string => `word${n} `;

export const QUESTION = "What do you see tonight, keeper?";
export const PACED_QUESTION = "Take your time: what do you see?";
export const isPaced = (request: string): boolean => request.includes(PACED_QUESTION);

export const PACED_REPLY = Array.from({ length: PACED_WORDS }, (_, n) => wordOf(n)).join("");
