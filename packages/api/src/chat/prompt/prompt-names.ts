import { oneLine } from "@soul-hub/soul-formats";
import { asRead } from "../models/prompt-delimiters.ts";

/** Characters that a model reads as square brackets, for classes of regular expressions. */
const OPENING = "\\[［﹇【〔〖〘〚⟦⟬❲⁅";
const CLOSING = "\\]］﹈】〕〗〙〛⟧⟭❳⁆";

/**
 * Returns a name as prompts write it, without brackets and line breaks. It begins and ends with a
 * letter or digit, and no two dashes follow each other, so that it cannot look like a delimiter line.
 * The mark that the hub puts behind the name of a guest or a soul stays.
 */
export function bareName(name: string): string {
  const [, own = "", mark = ""] = MARKED.exec(oneLine(name.replaceAll(BRACKETS, ""))) ?? [];
  // The space keeps the names "a--b" and "a-b" apart.
  const spaced = own.replaceAll(/\p{Pd}(?=\p{Pd})/gu, "$& ");
  return (spaced.replaceAll(NO_NAME_ENDS, "") || "nameless") + mark;
}

const BRACKETS = new RegExp(`[${OPENING}${CLOSING}]`, "gu");
const MARKED = /^(.*?)( \((?:guest|soul)\))?$/u;
const NO_NAME_ENDS = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu;

/** The words of a text as a model reads them. */
const wordsOf = (text: string): string =>
  (
    asRead(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(" ");

/** The words of names, without the hub's marks, for {@link withoutNames}. */
export const namesAsRead = (names: readonly string[]): string[] =>
  Array.from(new Set(names), (name) => wordsOf(bareName(name).replace(MARKED, "$1")));

const LINE_BREAKS = /(\r\n|[\n\v\f\r\u0085\u2028\u2029])/;

/**
 * Matches what stands before the first bracket of a line, if nobody reads it as a word: white space,
 * invisible characters, marks and tags of Markdown. The group is atomic: what it has matched is not
 * tried again, so that the search takes linear time.
 */
const BEFORE_BRACKET = new RegExp(
  `^(?=((?:</?[A-Za-z][^<>]{0,200}>|\\d{1,9}[.)](?=\\s)|\\\\(?![${OPENING}])|` +
    `\\p{Default_Ignorable_Code_Point}|[^\\p{L}\\p{N}\\\\${OPENING}])*))\\1[${OPENING}]`,
  "u",
);

/** What a reader takes for the beginning of a message: a word, a bracket, or a block of code. */
const BEGINNING = new RegExp(`[\\p{L}\\p{N}${OPENING}]|\`\`\`|~~~`, "u");

/** An opened bracket, an empty box, a list of values, a picture, or the link to an address. */
const NO_NAME = new RegExp(
  `^\\s*$|^\\s+[${CLOSING}]|^[\\s[]*(?:["'][^"']*["']\\s*,|\\{|-?\\d[\\d.]*\\s*,)|^!\\[|` +
    `^[^${CLOSING}]*\\]\\(https?:`,
  "u",
);

/** The longest text in brackets that is compared with names. */
const LONGEST_NAME = 300;

interface Message {
  /** The names that the prompt contains, from {@link namesAsRead}. */
  names: readonly string[];
  /** True if the text follows the name of its writer on one line. */
  isBesideName: boolean;
}

/**
 * Puts a backslash before each bracket that looks like the one around the name of a message's writer.
 * At the beginning of a message, that is any but a list or link; on later lines, a bracket before one
 * of the prompt's names. In a transcript (no `message`) each line may begin a message, so the first
 * bracket of each line gets a backslash.
 */
export function withoutNames(text: string, message?: Message): string {
  if (text.search(BRACKETS) < 0) return text;
  let isBeginning = message?.isBesideName ?? true;
  const isName = (bracketed: string): boolean => {
    if (!message || (isBeginning && !NO_NAME.test(bracketed))) return true;
    const words = `${wordsOf(bracketed.slice(0, LONGEST_NAME))} `;
    return message.names.some((name) => words.startsWith(`${name} `));
  };
  const escaped = text.split(LINE_BREAKS).map((line) => {
    const before = BEFORE_BRACKET.exec(line)?.[1];
    const cut = before?.length ?? 0;
    const isImitation = before !== undefined && isName(line.slice(cut + 1));
    isBeginning &&= !BEGINNING.test(line);
    return isImitation ? `${line.slice(0, cut)}\\${line.slice(cut)}` : line;
  });
  return escaped.join("");
}
