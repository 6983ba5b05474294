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

/** How long ago the newest word of a text was said; undefined: it holds none. */
export function ageMs(text: string): number | undefined {
  const at = text.lastIndexOf("@");
  return at < 0 ? undefined : nowMs() - Number.parseFloat(text.slice(at + 1));
}
