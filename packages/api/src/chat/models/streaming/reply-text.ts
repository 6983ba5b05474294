/** Text of a reply waits for `</think>` up to this length, and for this time (decisions §5, Provider). */
const MAX_HELD = 4_000;
export const HOLD_MS = 10_000;

/** What decides whether a tag is reasoning or text: code, lines and the tags themselves. */
const MARK = /`+|~+|\n|<\/?think>/g;
/** A mark that the next piece may continue. It is looked for in the last characters only. */
const UNFINISHED = /(?:`+|~+|<\/?(?:t(?:h(?:i(?:nk?)?)?)?)?)$/;
const UNFINISHED_LENGTH = 64;

/** The start of a line, before its text: blanks, and markers of quotes and lists. */
const INDENT = /^(?:[\s>]|(?:[-+*]|\d{1,9}[.)])\s)*$/;
/** The same in a fence, where a marker of a list is code. */
const INDENT_IN_FENCE = /^[\s>]*$/;
const INDENTED_CODE = /^(?: {4}| {0,3}\t)/;
const MAX_INDENT = 64;

interface Code {
  mark: string;
  /** `info` is the line that opens a fence. */
  kind: "span" | "info" | "fence";
  /** True after a `<think>` in it. The next `</think>` belongs to that tag. */
  isOpened: boolean;
}

/**
 * Reads the text of one reply from the pieces of a provider. The text has no NUL and no half
 * characters. It has no reasoning between `<think>` tags either, which many local servers put into
 * the text. Chat templates that open `<think>` themselves send the closing tag alone. The text before
 * that tag is reasoning, too. Tags in code are text, and so is a `</think>` after a complete pair.
 */
export class ReplyText {
  readonly #readsTags: boolean;
  /** True while the text is held back, because it may turn out to be reasoning. */
  #isHeld: boolean;
  /** The first half of a character. */
  #half = "";
  /** A mark without its end. */
  #rest = "";
  #isReasoning = false;
  /** True after reasoning, until the next text. */
  #isAfterReasoning = false;
  #code: Code | null = null;
  /** The text after a `</think>` in code. A span or fence that never ends is none. */
  #afterTag: string | null = null;
  /** The start of the line. */
  #line = "";
  /** True if the line is code when it is indented: after a blank line, or after such code. */
  #mayBeCode = true;
  /** True while the line may be the end of a code fence. */
  #isFenceEnd = false;
  #reply = "";
  #unsent = "";
  #hasSent = false;
  #isCorrected = false;
  /** True if the reply had reasoning between both tags. */
  #hasOpened = false;
  /** True if the reply had reasoning without its opening tag. */
  hasUnopened = false;

  /** @param isHeld true to hold the text back until `</think>` */
  constructor({ readsTags, isHeld }: { readsTags: boolean; isHeld: boolean }) {
    this.#readsTags = readsTags;
    this.#isHeld = isHeld;
  }

  /** The whole reply, if reasoning was sent before it was known as such. */
  get correction(): string | undefined {
    return this.#isCorrected ? this.#reply : undefined;
  }

  get isBlank(): boolean {
    return this.#reply.trim() === "";
  }

  /** True if there is text that waits for `</think>`. */
  get isWaiting(): boolean {
    return this.#isHeld && this.#unsent !== "";
  }

  /** Takes a piece. Returns the text that can be sent. */
  add(piece: string): string {
    // PostgreSQL cannot store NUL, and a provider may send it.
    const text = this.#half + piece.replaceAll("\0", "");
    const end = /[\ud800-\udbff]$/.test(text) ? text.length - 1 : text.length;
    this.#half = text.slice(end);
    this.#read(text.slice(0, end).toWellFormed());
    return this.#send();
  }

  /** Holds no text back any longer. Returns the text that was. */
  release(): string {
    this.#isHeld = false;
    return this.#send();
  }

  /** Returns the rest of the text. */
  end(): string {
    this.#read(this.#half.toWellFormed(), true);
    if (!this.#isFenceEnd) this.#dropCode();
    return this.release();
  }

  #send(): string {
    if (this.#isHeld && this.#unsent.length <= MAX_HELD) return "";
    this.#isHeld = false;
    const text = this.#unsent;
    this.#unsent = "";
    this.#hasSent ||= text !== "";
    return text;
  }

  #read(text: string, isEnd = false): void {
    if (!this.#readsTags) {
      this.#write(text);
      return;
    }
    const given = this.#rest + text;
    let at = 0;
    for (const { 0: mark, index } of given.matchAll(MARK)) {
      const isOpenEnd = !isEnd && index + mark.length === given.length;
      if (isOpenEnd && /^[`~]/.test(mark) && mark.length < UNFINISHED_LENGTH) break;
      this.#write(given.slice(at, index));
      this.#readMark(mark);
      at = index + mark.length;
    }
    const last = given.slice(Math.max(at, given.length - UNFINISHED_LENGTH));
    const unfinished = isEnd ? "" : (UNFINISHED.exec(last)?.[0] ?? "");
    this.#rest = unfinished;
    this.#write(given.slice(at, given.length - unfinished.length));
  }

  #readMark(mark: string): void {
    const isCode = this.#code !== null || this.#isIndentedCode;
    if (this.#isReasoning) {
      if (mark !== "</think>") return;
      this.#hasOpened = true;
      this.#endReasoning();
    } else if (!isCode && mark === "<think>") {
      this.#isReasoning = true;
    } else if (!isCode && mark === "</think>" && !this.#hasOpened) {
      this.#dropReasoning("");
    } else {
      const line = this.#line;
      this.#write(mark);
      if (mark === "\n") this.#endLine(line);
      else if (/^[`~]/.test(mark)) this.#readCodeMark(mark, line);
      else if (this.#code) this.#readTagInCode(mark, this.#code);
    }
  }

  get #isIndentedCode(): boolean {
    return this.#mayBeCode && INDENTED_CODE.test(this.#line);
  }

  #readTagInCode(mark: string, code: Code): void {
    if (mark === "</think>" && !code.isOpened && !this.#hasOpened) this.#afterTag = "";
    code.isOpened = mark === "<think>";
  }

  #readCodeMark(mark: string, line: string): void {
    const code = this.#code;
    const isIndent = INDENT.test(line);
    // Backticks on the line that opens a fence of backticks make it a span.
    if (code?.kind === "info" && mark.startsWith("`") && code.mark.startsWith("`")) {
      code.kind = "span";
    }
    if (code && code.kind !== "span") {
      this.#isFenceEnd = INDENT_IN_FENCE.test(line) && mark.startsWith(code.mark);
    } else if (code?.mark === mark && (!isIndent || this.#afterTag !== null)) {
      this.#endCode();
    } else if (isIndent && mark.length >= 3) {
      this.#dropCode();
      this.#code = { mark, kind: "info", isOpened: false };
    } else if (mark.startsWith("`")) {
      this.#code ??= { mark, kind: "span", isOpened: false };
    }
  }

  #endLine(line: string): void {
    const isBlank = INDENT.test(line);
    this.#mayBeCode = isBlank || this.#isIndentedCode;
    this.#line = "";
    if (this.#isFenceEnd) this.#endCode();
    // A code span does not reach beyond its paragraph.
    else if (isBlank && this.#code?.kind === "span") this.#dropCode();
    else if (this.#code?.kind === "info") this.#code.kind = "fence";
    this.#isFenceEnd = false;
  }

  #endCode(): void {
    this.#code = null;
    this.#afterTag = null;
  }

  /** Ends code that has no end, and is thus text. */
  #dropCode(): void {
    this.#code = null;
    if (this.#afterTag !== null) this.#dropReasoning(this.#afterTag);
  }

  /** Drops what stands before a `</think>` that nothing opened. */
  #dropReasoning(after: string): void {
    this.hasUnopened = true;
    this.#isCorrected ||= this.#hasSent;
    this.#reply = after.trimStart();
    if (!this.#hasSent) this.#unsent = this.#reply;
    else this.#unsent = this.#unsent.slice(Math.max(0, this.#unsent.length - after.length));
    this.#afterTag = null;
    this.#endReasoning();
    this.#isAfterReasoning = this.#reply === "";
  }

  #endReasoning(): void {
    this.#isReasoning = false;
    this.#isHeld = false;
    this.#isAfterReasoning = true;
    this.#line = "";
    this.#mayBeCode = true;
  }

  #write(given: string): void {
    const isFirst = this.#isAfterReasoning;
    const text = isFirst ? given.trimStart() : given;
    if (this.#isReasoning || text === "") return;
    this.#isAfterReasoning = false;
    this.#line = (this.#line + text.slice(0, MAX_INDENT)).slice(0, MAX_INDENT);
    if (/\S/.test(text)) this.#isFenceEnd = false;
    const shown = isFirst && this.#reply !== "" ? `\n${text}` : text;
    this.#reply += shown;
    this.#unsent += shown;
    if (this.#afterTag !== null) this.#afterTag += shown;
  }
}
