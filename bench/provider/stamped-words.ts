/**
 * The form of the reply that a question requests from the benchmark's model provider. Each word of
 * the reply contains the time of its creation.
 */
export interface ReplyShape {
  words: number;
  everyMs: number;
  /** The length of each word in characters. */
  chars: number;
}

export const questionFor = ({ words, everyMs, chars }: ReplyShape): string =>
  `Say ${words} words, ${everyMs} ms apart, ${chars} long.`;

/** Returns undefined for other questions. */
export function parseQuestion(body: string): ReplyShape | undefined {
  // The prompt also contains earlier questions, so the last match is the question to answer.
  const asked = [...body.matchAll(/Say (\d+) words, (\d+) ms apart, (\d+) long\./g)].at(-1);
  if (!asked) return undefined;
  const [words = 1, everyMs = 1, chars = 1] = asked.slice(1).map(Number);
  return { words, everyMs, chars };
}

const nowMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

export const stampedWord = (chars: number): string => `@${nowMs().toFixed(3)} `.padEnd(chars, ".");

/** Returns the latency of each word in a text, which may contain several words. */
export function latenciesMs(text: string): number[] {
  const now = nowMs();
  return Array.from(text.matchAll(/@([\d.]+) /g), ([, saidAt]) => now - Number(saidAt));
}
