/** The form of the reply that a question requests from the benchmark's model provider. */
export interface ReplyShape {
  words: number;
  /** The time between two words; 0 sends all words at once. */
  everyMs: number;
  /** The shortest length of a word in characters. */
  chars: number;
}

/** A question that requests no form gets this reply. */
export const SHORT_REPLY: ReplyShape = { words: 40, everyMs: 0, chars: 1 };

export const questionFor = ({ words, everyMs, chars }: ReplyShape): string =>
  `Say ${words} words, ${everyMs} ms apart, ${chars} long.`;

export function parseQuestion(body: string): ReplyShape {
  // The prompt also contains earlier questions, so the last match is the question to answer.
  const asked = [...body.matchAll(/Say (\d+) words, (\d+) ms apart, (\d+) long\./g)].at(-1);
  const [words, everyMs, chars] = asked?.slice(1).map(Number) ?? [];
  return words && everyMs && chars ? { words, everyMs, chars } : SHORT_REPLY;
}

const nowMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

/** A word begins with its number and the time of its creation, such as `7@81726.354`. */
export const wordOf = (n: number, chars: number): string =>
  `${n}@${nowMs().toFixed(3)} `.padEnd(chars, ".");

/** Returns the latency of each word in a text, which may contain several words. */
export function latenciesMs(text: string): number[] {
  const now = nowMs();
  return Array.from(text.matchAll(/@([\d.]+) /g), ([, saidAt]) => now - Number(saidAt));
}

/** True if a text has this many words, each once and in order. */
export function isWhole(text: string, words: number): boolean {
  const numbers = Array.from(text.matchAll(/(\d+)@/g), ([, n]) => Number(n));
  return numbers.length === words && numbers.every((n, nth) => n === nth);
}
