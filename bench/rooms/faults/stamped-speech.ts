/** What the provider of the bench is asked to say, and how whoever hears it knows when it was said. */
export interface Speech {
  words: number;
  everyMs: number;
  /** Of each word. */
  chars: number;
}

export const askFor = ({ words, everyMs, chars }: Speech): string =>
  `Say ${words} words, ${everyMs} ms apart, ${chars} long.`;

export function parseSpeech(question: string): Speech {
  // The last one: those before it stand in the room's memory.
  const asked = [...question.matchAll(/Say (\d+) words, (\d+) ms apart, (\d+) long\./g)].at(-1);
  const [words = 1, everyMs = 1, chars = 1] = (asked ?? []).slice(1).map(Number);
  return { words, everyMs, chars };
}

const nowMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000;

export const stampedWord = (chars: number): string => `@${nowMs().toFixed(3)} `.padEnd(chars, ".");

/** How long ago each word of a text was said: one that was held up may share an event with the next. */
export function agesMs(text: string): number[] {
  const now = nowMs();
  return Array.from(text.matchAll(/@([\d.]+) /g), ([, saidAt]) => now - Number(saidAt));
}
