import { exactCount } from "./counts.ts";
export interface SoulFile {
  name: string;
  text: string;
}

/** Limits of a soul's fields (decisions §2). The form checks them early; the API enforces them. */
export const limits = {
  title: 120,
  description: 2_000,
  content: 200_000,
  domain: 100,
  compatibility: 100,
  note: 500,
  files: 50,
} as const;

const FILE_NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;
const HAS_EXTENSION = /\.[\w-]+$/;
const SINGLE = "SOUL.md";

/** Counts Unicode code points, as the API does. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Says by how much a text exceeds its limit; undefined if the text is short enough. */
export function lengthProblem(text: string, limit: number): string | undefined {
  const over = countCharacters(text.trim()) - limit;
  if (over <= 0) return undefined;
  return `${exactCount(over)} ${over === 1 ? "character" : "characters"} over the limit`;
}

interface SoulText {
  content: string;
  file_type: string | null;
}

/** A soul's files; a single Markdown prompt becomes one file named SOUL.md. */
export function readSoulFiles(soul: SoulText): SoulFile[] {
  if (soul.file_type !== "full_soul_folder") return [{ name: SINGLE, text: soul.content }];
  try {
    const folder = JSON.parse(soul.content) as Record<string, unknown>;
    return Object.entries(folder).map(([name, text]) => ({ name, text: String(text) }));
  } catch {
    return [{ name: SINGLE, text: soul.content }];
  }
}

export function writeFolder(files: readonly SoulFile[]): string {
  return JSON.stringify(Object.fromEntries(files.map(({ name, text }) => [name, text])), null, 2);
}

/** The problem with a file's name; undefined for a valid one. */
export function fileNameProblem(name: string, others: readonly string[]): string | undefined {
  if (!name.trim()) return "Enter a file name, e.g. STYLE.md";
  if (!FILE_NAME.test(name) || name.includes("..")) {
    return "Use at most 100 letters, digits, dots, - and _";
  }
  if (!HAS_EXTENSION.test(name)) return "End the name with an extension, e.g. .md";
  if (others.includes(name)) return "Another file has this name";
  return undefined;
}

const MACROS = /\{\{(?:char|user|original)\}\}|<(?:bot|user)>/gi;

/** Replaces the macros of an imported card, as the hub does in prompts (0052). */
export const fillMacros = (text: string, { char, user }: { char: string; user: string }): string =>
  text.replaceAll(MACROS, (macro) => {
    if (/user/i.test(macro)) return user;
    return /original/i.test(macro) ? "" : char;
  });

/** The greeting of GREETING.md, with the macros of an imported card replaced for people. */
export function greetingOf(
  soul: SoulText & { title: string; has_package: boolean },
): string | undefined {
  const greeting = textOf(soul, "greeting.md")?.trim();
  if (!soul.has_package) return greeting;
  return greeting && fillMacros(greeting, { char: soul.title, user: "you" });
}

/** Starters for a soul without its own. */
export const openers: readonly string[] = [
  "Hello! Who are you?",
  "What can you help me with?",
  "Where should we begin?",
];
const STARTERS_MAX = 6;
const STARTER_CHARS = 80;

/** The conversation starters of STARTERS.md, one a line; empty without them. */
export function startersOf(soul: SoulText): string[] {
  const lines = (textOf(soul, "starters.md") ?? "")
    .split("\n")
    .map((line) => Array.from(line.trim()).slice(0, STARTER_CHARS).join("").trim())
    .filter((line) => line !== "");
  return [...new Set(lines)].slice(0, STARTERS_MAX);
}

/** The text of a file of a folder soul, by its name in lower case. */
const textOf = (soul: SoulText, wanted: string): string | undefined =>
  readSoulFiles(soul).find(({ name }) => name.toLowerCase() === wanted)?.text;
