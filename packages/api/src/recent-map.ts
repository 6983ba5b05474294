/** Without what the text was cut from or put together of, which V8 would keep in memory with it. */
export const ownCopy = (text: string): string => Buffer.from(text).toString();

interface Entry<Value> {
  text: string;
  value: Value;
  chars: number;
}

/**
 * Values by text, of which those asked for lately are kept: in two generations, where the older one
 * goes when the younger one is full. Bounded in characters, since callers choose the texts.
 */
export class RecentMap<Value> {
  readonly #maxChars: number;
  #young = new Map<string, Entry<Value>>();
  #old = new Map<string, Entry<Value>>();
  #youngChars = 0;

  /** @param maxChars of both generations together */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get(text: string): Value | undefined {
    const young = this.#young.get(text);
    if (young) return young.value;
    const old = this.#old.get(text);
    if (old) this.#keep(old);
    return old?.value;
  }

  /**
   * @param text an {@link ownCopy}, where it is a piece of something longer
   * @param valueChars what the value takes beside the text it stands for
   */
  set(text: string, value: Value, valueChars = 0): void {
    this.#keep({ text, value, chars: text.length + valueChars });
  }

  delete(text: string): void {
    const young = this.#young.get(text);
    if (young) this.#youngChars -= young.chars;
    this.#young.delete(text);
    this.#old.delete(text);
  }

  #keep(entry: Entry<Value>): void {
    this.delete(entry.text);
    const most = this.#maxChars / 2;
    if (entry.chars > most) return;
    if (this.#youngChars + entry.chars > most) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngChars = 0;
    }
    this.#young.set(entry.text, entry);
    this.#youngChars += entry.chars;
  }
}
