import { hash } from "node:crypto";
import { FormatError } from "./format-error.ts";

// A byte order mark is part of a text: a text is kept byte for byte.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const bytesOf = (text: string): Buffer => Buffer.from(text, "utf8");

export const sha256 = (data: string | Uint8Array): string => hash("sha256", data, "hex");

/** Decodes UTF-8; null if the bytes are not UTF-8, or contain NUL. */
export function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Counts the characters (Unicode code points) of a text. */
export function charsOf(text: string): number {
  let chars = 0;
  for (const _ of text) chars++;
  return chars;
}

/** Cuts a text after a number of characters (Unicode code points). */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const characters = Array.from(text.slice(0, 2 * limit));
  return characters.length <= limit && text.length <= 2 * limit
    ? text
    : characters.slice(0, limit).join("");
}

/** Characters that turn the direction of the text around them. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/gu;
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Reports whether a name breaks its line, turns its direction or has a control character. */
export const hasControls = (name: string): boolean => CONTROLS.test(name);

/**
 * Writes a text as one line: each run of white space and control characters becomes one blank, and
 * nothing turns the direction of the text around it. Every single-line text of a request is one.
 */
export const oneLine = (text: string): string =>
  text
    .replaceAll(TURNS, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();

/** The text without a byte order mark, as a JSON parser wants it. */
export const withoutBom = (text: string): string =>
  text.startsWith("\ufeff") ? text.slice(1) : text;

/**
 * A text that a database and an encoding can hold: no NUL, no lone surrogate.
 * @throws FormatError
 */
export function assertStorable(text: string, at: string): string {
  if (text.includes("\0") || !text.isWellFormed()) {
    throw new FormatError(at, "contains a NUL or half of a surrogate pair");
  }
  return text;
}

/** A closing run of `#`, which is no part of a heading's text. */
const CLOSING = /(?:^|[ \t])#+$/;

/**
 * The first heading of a Markdown text; undefined without one. White space is trimmed by `trim`: a
 * regular expression that looks for it at the end takes cubic time in a long run of it.
 */
export function firstHeading(markdown: string): string | undefined {
  const beginning = cut(withoutBom(markdown), 20_000);
  const heading = /^ {0,3}#{1,6}[ \t](.*)$/m.exec(beginning)?.[1]?.trim();
  return heading?.replace(CLOSING, "").trim() || undefined;
}

/** The first four bytes of a zip: the header of its first entry, or the end of an empty one. */
const ZIP_BEGINNINGS = ["PK\u0003\u0004", "PK\u0005\u0006"];

export const isZip = (bytes: Uint8Array): boolean =>
  ZIP_BEGINNINGS.includes(Buffer.from(bytes.subarray(0, 4)).toString("latin1"));

export const isJpeg = (bytes: Uint8Array): boolean =>
  bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;

/** The characters that decide what a text is. More white space could exhaust a match's stack. */
const beginningOf = (text: string) => withoutBom(text).slice(0, 20_000);

/** White space and comments, which some programs write into JSON. */
const JSON_GAP = String.raw`(?:\s|//.*\n|/\*(?:[^*]|\*(?!/))*\*/)*`;
const JSON_OBJECT = String.raw`\{${JSON_GAP}(?:["'}]|[A-Za-z_$][\w$]*\s*:)`;
const JSON_LIST = String.raw`(?:\[${JSON_GAP})+(?:${JSON_OBJECT}|"[^"\n]*"\s*,|\]\s*$)`;
const JSON_BEGINNING = new RegExp(`^${JSON_GAP}(?:${JSON_OBJECT}|${JSON_LIST})`);
/** Lists of numbers, and of such lists. */
const JSON_NUMBERS = /^\s*\[[\d\s.,eE+[\]-]*\]\s*$/;
const HTML_BEGINNING =
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:[^-]|-(?!->))*-->\s*)*<(?:!doctype|html|head)[\s>]/i;

/** Reports whether a text begins as JSON does, which no Markdown needs to. */
export function looksLikeJson(text: string): boolean {
  const beginning = beginningOf(text);
  return JSON_BEGINNING.test(beginning) || JSON_NUMBERS.test(beginning);
}

/** Reports whether a text begins as a web page does. */
export const looksLikeHtml = (text: string): boolean => HTML_BEGINNING.test(beginningOf(text));

/** Reports whether a version such as `3.10` is above another. A word counts as above. */
export function isNewer(version: string, known: string): boolean {
  const [given = [], other = []] = [version, known].map((text) => text.split(".").map(Number));
  for (const [at, part] of given.entries()) {
    const step = part - (other[at] ?? 0);
    if (step !== 0) return !(step < 0);
  }
  return false;
}

const DIGITS = 6;

/**
 * Returns a six-digit number that none of the texts contains, so that no text can forge a line with
 * it. The search starts at a hash of `seed`: an equal seed rarely gets a new number.
 */
export function unusedNumber(texts: readonly string[], seed: string): number {
  const taken = new Set<string>();
  for (const text of texts) {
    for (const [run] of text.matchAll(/\d{6,}/g)) {
      for (let at = 0; at + DIGITS <= run.length; at++) taken.add(run.slice(at, at + DIGITS));
    }
  }
  const first = 10 ** (DIGITS - 1);
  const count = 9 * first;
  let offset = hash("sha256", seed, "buffer").readUInt32BE() % count;
  while (taken.has(String(first + offset))) offset = (offset + 1) % count;
  return first + offset;
}
