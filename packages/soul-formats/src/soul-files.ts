import type { FileType } from "./soul-state.ts";

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

/** Returns the files of a folder soul's content; null if the content is one Markdown. */
export function folderFiles(content: string): Record<string, string> | null {
  // Most content is Markdown: this test avoids parsing it as JSON.
  if (!/^\s*\{/.test(content)) return null;
  let folder: unknown;
  try {
    folder = JSON.parse(content);
  } catch {
    return null;
  }
  const files = Object.entries(folder as object);
  const isFolder =
    files.length > 0 &&
    files.length <= MAX_FILES &&
    files.every(([name, text]) => isFileName(name) && typeof text === "string");
  return isFolder ? (folder as Record<string, string>) : null;
}

export const fileTypeOf = (content: string): FileType =>
  folderFiles(content) ? "full_soul_folder" : "single_md";

/** Writes files as the content of a folder soul, in the given order. */
export const joinFiles = (files: readonly (readonly [string, string])[]): string =>
  JSON.stringify(Object.fromEntries(files));

/** Orders names so that SOUL.md comes first, then by code units: the same on every system. */
export const byFileName = (a: string, b: string): number =>
  rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0);

const rank = (name: string) => (name.toLowerCase() === MAIN_FILE.toLowerCase() ? 0 : 1);
