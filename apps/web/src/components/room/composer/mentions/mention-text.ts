/** `@` and a name, as a whole word, as the hub reads it (packages/api, `mentions.ts`). */
const MENTION = /(?<![\p{L}\p{N}_@])@([a-z0-9]+(?:-+[a-z0-9]+)*)(?!-*[\p{L}\p{N}_])/giu;

/** The handles that a text mentions, in lower case, each once. */
export const mentionsIn = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(MENTION), ([, name = ""]) => name.toLowerCase())),
];

/** A mention that is being typed. */
export interface MentionToken {
  /** The place of its `@`. */
  start: number;
  /** What follows the `@`, up to the caret. */
  query: string;
}

const TYPED = /(?<![\p{L}\p{N}_@])@([\p{L}\p{N}_.-]*)$/u;

/** Returns the mention before the caret; undefined without one. */
export function tokenAt(text: string, caret: number): MentionToken | undefined {
  const typed = TYPED.exec(text.slice(0, caret));
  return typed ? { start: typed.index, query: typed[1] ?? "" } : undefined;
}
