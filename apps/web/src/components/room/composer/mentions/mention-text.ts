/** A mention that is being typed. */
export interface MentionToken {
  /** The place of its `@`. */
  start: number;
  /** What follows the `@`, up to the caret. */
  query: string;
}

const TYPED = /(?<![\p{scx=Latn}\p{N}_@])@([\p{L}\p{M}\p{N}_.-]*)$/u;

/** Returns the mention before the caret; undefined without one. */
export function tokenAt(text: string, caret: number): MentionToken | undefined {
  const typed = TYPED.exec(text.slice(0, caret));
  return typed ? { start: typed.index, query: typed[1] ?? "" } : undefined;
}
