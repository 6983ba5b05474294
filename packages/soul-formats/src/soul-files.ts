import type { FileType } from "./soul-state.ts";
import { hasControls } from "./text.ts";

/** The file that a single Markdown counts as. */
export const MAIN_FILE = "SOUL.md";

export const MAX_FILES = 50;
const FILE_NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;
const HAS_EXTENSION = /\.[\w-]+$/;

/** Reports whether a folder soul may have a file of this name (decisions §2, file_type). */
export const isFileName = (name: string): boolean =>
  FILE_NAME.test(name) && HAS_EXTENSION.test(name) && !name.includes("..");

/** Splits the content of a soul into its files, text by name. One Markdown counts as SOUL.md. */
export function filesOf(soul: { content: string; file_type: string }): Record<string, string> {
  // The hub has found that the content of a folder is an object of texts.
  return soul.file_type === "full_soul_folder"
    ? JSON.parse(soul.content)
    : { [MAIN_FILE]: soul.content };
}

/** Parses content that is a JSON object of texts; null for all other content. */
function textsOf(content: string): Record<string, string> | null {
  // Most content is Markdown: this test avoids parsing it as JSON.
  if (!/^\s*\{/.test(content)) return null;
  try {
    const texts = JSON.parse(content);
    return Object.values(texts).every((text) => typeof text === "string") ? texts : null;
  } catch {
    return null;
  }
}

/** Returns the files of a folder soul's content; null if the content is one Markdown. */
export function folderFiles(content: string): Record<string, string> | null {
  const texts = textsOf(content);
  const names = Object.keys(texts ?? {});
  return names.length > 0 && names.length <= MAX_FILES && names.every(isFileName) ? texts : null;
}

/**
 * Reports whether a folder names a file twice, of which JSON.parse keeps the last. A folder is flat,
 * so each of its files is two strings, with four quotes that no backslash precedes.
 */
function hasDoubles(content: string): boolean {
  const folder = folderFiles(content);
  // A regular expression for a whole string could exhaust its stack.
  const quotes = folder && content.replaceAll(/\\./g, "").split('"').length - 1;
  return quotes ? quotes > 4 * Object.keys(folder).length : false;
}

/** Says why new content may be no folder; undefined for a proper one, and for Markdown. */
export function folderProblem(content: string): string | undefined {
  if (Object.keys(textsOf(content) ?? {}).some(hasControls)) {
    return "may not have a control character in the name of a file";
  }
  return hasDoubles(content) ? "may not name a file twice" : undefined;
}

/** Rewrites a stored folder that names a file twice with the text that counts, its last. */
export const lastOfDoubles = (content: string): string =>
  hasDoubles(content) ? JSON.stringify(JSON.parse(content)) : content;

export const fileTypeOf = (content: string): FileType =>
  folderFiles(content) ? "full_soul_folder" : "single_md";

/** Writes files as the content of a folder soul, in the given order. */
export const joinFiles = (files: readonly (readonly [string, string])[]): string =>
  JSON.stringify(Object.fromEntries(files));

/** Orders names so that SOUL.md comes first, then by code units: the same on every system. */
export const byFileName = (a: string, b: string): number =>
  rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0);

const rank = (name: string) => (name.toLowerCase() === MAIN_FILE.toLowerCase() ? 0 : 1);
