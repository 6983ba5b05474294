/** Something unclosed that is longer than this, in characters, is shown: it may be no markup. */
const HELD_MAX = 600;
/** Matches a line that may only be the beginning of a mark: of a heading, list, quote or fence. */
const BARE_MARK = /^[ \t]*(?:#{1,6}|[-+*>=_]+|`{1,3}|~{1,3}|\d{1,9}[.)]?|[-+*] \[[ xX]?\]?)[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const TABLE_ROW = /^[ \t]*\|/;
const DELIMITERS = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/**
 * Returns the part of a growing Markdown text that can be shown without raw signs. A link, table
 * row, formula, code span or emphasis that has not been closed yet is held back, until it is whole.
 */
export function holdBack(text: string): string {
  const cut = cutOf(text);
  return text.length - cut > HELD_MAX ? text : text.slice(0, cut);
}

function cutOf(text: string): number {
  const { start, isCode } = lastBlock(text);
  const lineStart = text.lastIndexOf("\n") + 1;
  const line = text.slice(lineStart);
  // The last line of a code block may become its end.
  if (isCode) return /^ {0,3}[`~]+$/.test(line) ? lineStart : text.length;
  if (BARE_MARK.test(line)) return lineStart;
  const table = tableCut(text, start, lineStart);
  if (table !== undefined) return table;
  return inlineCut(text, start);
}

/** Finds the last block: where it begins, and whether it is a fenced code block without an end. */
function lastBlock(text: string): { start: number; isCode: boolean } {
  let start = 0;
  let fence: string | undefined;
  let at = 0;
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    const [, marks] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      const isEnd = marks?.startsWith(fence) && /^[ `~]*$/.test(line);
      if (isEnd) fence = undefined;
      if (isEnd) start = at + line.length + 1;
    } else if (marks) fence = marks;
    // The last line, if it is empty so far, ends no block.
    else if (line.trim() === "" && index < lines.length - 1) start = at + line.length + 1;
    at += line.length + 1;
  }
  return { start: Math.min(start, text.length), isCode: fence !== undefined };
}

/** Holds back a table until its second line makes it one, and then its unfinished row. */
function tableCut(text: string, start: number, lineStart: number): number | undefined {
  const lines = text.slice(start).split("\n");
  const first = lines.findIndex((line) => TABLE_ROW.test(line));
  if (first < 0 || lines.slice(first, -1).some((line) => !TABLE_ROW.test(line))) return undefined;
  const tableStart = start + lines.slice(0, first).join("\n").length + (first > 0 ? 1 : 0);
  const second = lines[first + 1] ?? "";
  // The delimiter line is whole when the next line begins.
  if (lines.length - first < 3) return tableStart;
  if (!DELIMITERS.test(second)) return undefined;
  return TABLE_ROW.test(lines.at(-1) ?? "") ? lineStart : text.length;
}

interface Opened {
  sign: string;
  at: number;
}

/** Finds the first inline mark of a block that has not been closed. */
function inlineCut(text: string, start: number): number {
  const opened: Opened[] = [];
  let at = start;
  while (at < text.length) {
    const rest = text.slice(at, at + 3);
    const sign = text[at] ?? "";
    const end = spanEnd(text, at, rest);
    if (end !== undefined) {
      if (end < 0) return Math.min(at, opened[0]?.at ?? at);
      at = end;
    } else if (sign === "*" || sign === "_" || rest.startsWith("~~")) {
      at = readEmphasis(text, at, opened);
    } else at++;
  }
  return opened[0]?.at ?? text.length;
}

/**
 * Finds the end of an escaped sign, a code span, a formula, a link or an image.
 * @returns -1 if it has not been closed; undefined if none begins here
 */
function spanEnd(text: string, at: number, rest: string): number | undefined {
  const closed = (close: string, from: number) => {
    const end = text.indexOf(close, from);
    return end < 0 ? -1 : end + close.length;
  };
  if (rest.startsWith("\\(")) return closed("\\)", at + 2);
  if (rest.startsWith("\\[")) return closed("\\]", at + 2);
  if (rest.startsWith("\\")) return rest.length === 1 ? -1 : at + 2;
  if (rest.startsWith("$$")) return closed("$$", at + 2);
  if (rest.startsWith("`")) {
    const [marks = ""] = /^`+/.exec(text.slice(at)) ?? [];
    return closed(marks, at + marks.length);
  }
  if (/^\$[^\s\d$]/.test(rest)) {
    const line = text.slice(at + 1).split("\n", 1)[0] ?? "";
    const isLast = at + 1 + line.length === text.length;
    const end = line.indexOf("$");
    if (end >= 0) return at + end + 2;
    return isLast ? -1 : undefined;
  }
  if (/^!(\[|$)/.test(rest)) return at + 1 === text.length ? -1 : linkEnd(text, at + 1);
  return rest.startsWith("[") ? linkEnd(text, at) : undefined;
}

/** The end of a link that begins with `[` at `at`; -1 if it may still become one. */
function linkEnd(text: string, at: number): number | undefined {
  let depth = 0;
  for (let end = at; end < text.length; end++) {
    const sign = text[end];
    if (sign === "\\") end++;
    else if (sign === "[") depth++;
    else if (sign === "]" && --depth === 0) {
      if (end + 1 === text.length) return -1;
      if (text[end + 1] !== "(") return end + 1;
      const close = text.indexOf(")", end);
      return close < 0 ? -1 : close + 1;
    }
  }
  return -1;
}

const isSpace = (sign: string | undefined) => sign === undefined || /\s/.test(sign);
const isWord = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign);

/** Opens or closes an emphasis. Returns the position after its signs. */
function readEmphasis(text: string, at: number, opened: Opened[]): number {
  const [sign = ""] = /^(\*+|_+|~+)/.exec(text.slice(at, at + 8)) ?? [];
  const end = at + sign.length;
  const [before, after] = [text[at - 1], text[end]];
  const top = opened.at(-1);
  const isLast = end === text.length;
  if (!isSpace(before) && top && top.sign[0] === sign[0]) {
    if (sign.length >= top.sign.length) {
      opened.pop();
      return at + top.sign.length;
    }
    // The other half of its end is still missing.
    if (isLast) return end;
  }
  // An underscore within a word, and a sign between spaces, mean themselves.
  const isInWord = sign[0] === "_" && isWord(before);
  if (isLast || (!isSpace(after) && !isInWord)) opened.push({ sign, at });
  return end;
}
