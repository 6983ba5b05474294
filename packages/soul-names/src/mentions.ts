import { asciiOf, folded, handlesOf } from "./handles.ts";

/** Matches a quote marker or a code fence at the start of a line. List markers may precede it. */
const START = /^(?: {0,3}|[ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)+)(>|`{3,}(?=[^`]*$)|~{3,})/;
const LIST_ITEM = /^ {0,3}(?:[-+*]|\d{1,9}[.)])[ \t]/;
const INDENTED = /^(?: {4}| {0,3}\t)/;
/** A URL, a domain with a path, or the end of a mail address. */
const ADDRESS =
  /(?<![a-z0-9])[a-z0-9]+:\/\/[^\s<>"，。；！？、（）「」]*|(?<![a-z0-9-])[a-z0-9-]+\.[a-z]{2,}(?::\d+)?\/[^\s<>"，。；！？、（）「」]*|[\p{L}\p{M}\p{N}_+]@[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+/giu;

const blank = (text: string) => " ".repeat(text.length);

/**
 * Returns a text with spaces for what mentions nobody: quoted lines, code and addresses. All else
 * keeps its place. The SQL function `callable_text` does the same.
 */
function callableText(text: string): string {
  let fence: string | undefined;
  let isList = false;
  /** True if an indented line is code. In lists, and after a line of text, it is text. */
  let mayBeCode = true;
  const lines = text.split("\n").map((line) => {
    if (fence) {
      const end = line.trim();
      if (end.startsWith(fence) && new Set(end).size === 1) fence = undefined;
      return blank(line);
    }
    if (mayBeCode && INDENTED.test(line)) return blank(line);
    const isBlank = /^[ \t\r]*$/.test(line);
    isList = LIST_ITEM.test(line) || (isList && (isBlank || /^[ \t]/.test(line)));
    mayBeCode = isBlank && !isList;
    const start = START.exec(line)?.[1];
    if (start !== ">") fence = start;
    return start ? blank(line) : line;
  });
  // A code span ends in its paragraph.
  const paragraphs = lines.join("\n").split(/(\n\s*\n)/);
  return paragraphs.map(withoutCodeSpans).join("").replace(ADDRESS, blank);
}

function withoutCodeSpans(text: string): string {
  const parts: string[] = text.match(/`+|[^`]+/g) ?? [];
  for (let at = 0; at < parts.length; at++) {
    const end = parts[at]?.startsWith("`") ? parts.indexOf(parts[at] ?? "", at + 1) : -1;
    // Backticks that nothing closes are no span.
    for (; at < end; at++) parts[at] = blank(parts[at] ?? "");
  }
  return parts.join("");
}

/** The scripts in use. The letters of all others count as those of one script. */
const SCRIPTS = [
  ..."Arab Armn Beng Cyrl Deva Ethi Geor Grek Gujr Guru Hang Hebr Knda Latn Mlym Orya".split(" "),
  ..."Sinh Taml Telu Thaa Bopo Hani Hira Kana Khmr Laoo Mymr Thai Tibt".split(" "),
];
/** The scripts without spaces between words. */
const UNSPACED = new Set("Bopo Hani Hira Kana Khmr Laoo Mymr Thai Tibt".split(" "));

/**
 * Matches what follows the `@` of a mention. It neither follows nor precedes a letter or digit of
 * the name's own script, so that `你好@orla你好` mentions Orla.
 */
function patternOf(name: string): string {
  const isIn = (script: string) => new RegExp(`\\p{scx=${script}}`, "u").test(name);
  const own = SCRIPTS.filter(isIn);
  const oneOf = (scripts: readonly string[]) => {
    const letters = scripts.map((script) => `\\p{scx=${script}}`).join("");
    return `(?=[\\p{L}\\p{M}\\p{N}])[\\p{N}\\p{scx=Zinh}${own.length > 0 ? letters : "\\p{L}"}]`;
  };
  const spaced = own.filter((script) => !UNSPACED.has(script));
  return `(?<!(?:@|${oneOf(spaced)})@)(${name})(?![_-]*${oneOf(own)})`;
}

/** The patterns in use. Those of people who have left are dropped together. */
const patterns = new Map<string, RegExp>();
const MOST_PATTERNS = 50;

/** @param names consist of letters, marks, digits, "_" and "-" */
function find(text: string, names: Iterable<string>) {
  const lower = text.toLowerCase();
  const present = [...names]
    .filter((name) => lower.includes(`@${name.toLowerCase()}`))
    .sort((a, b) => b.length - a.length);
  if (present.length === 0) return [];
  const key = present.join();
  let pattern = patterns.get(key);
  if (!pattern) {
    if (patterns.size === MOST_PATTERNS) patterns.clear();
    pattern = new RegExp(`@(?:${present.map(patternOf).join("|")})`, "giu");
    patterns.set(key, pattern);
  }
  return Array.from(text.matchAll(pattern), ({ index, 0: { length }, ...groups }) => {
    const name = present.find((_, nth) => groups[nth + 1] !== undefined) ?? "";
    return { name, start: index, end: index + length };
  });
}

/** Returns the places of the mentions of people, `@` included. */
export const findMentions = (text: string, usernames: Iterable<string>) =>
  text.includes("@") ? find(callableText(text), usernames) : [];

/**
 * Returns the souls that a text mentions, in the order of their first mention, each once. A soul has
 * its handle in the room, the one that its present title would get, and both in ASCII.
 */
export function mentionedSouls<Soul extends { title: string; handle?: string | undefined }>(
  text: string,
  souls: readonly Soul[],
): Soul[] {
  if (!/[@＠]/.test(text)) return [];
  const present = handlesOf(souls.map(({ title }) => title));
  const stored = souls.map(({ handle }, nth) => handle ?? present[nth] ?? "");
  const byName = new Map<string, Soul>();
  for (const handles of [stored, present, stored.map(asciiOf), present.map(asciiOf)]) {
    for (const [nth, soul] of souls.entries()) {
      const handle = handles[nth];
      if (handle && !byName.has(handle)) byName.set(handle, soul);
    }
  }
  const mentions = find(folded(callableText(text)), byName.keys());
  return [...new Set(mentions.flatMap(({ name }) => byName.get(name) ?? []))];
}
