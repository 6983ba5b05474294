export interface SoulFile {
  name: string;
  text: string;
}

/** Limits of decisions §2, shown before they hurt. The hub has the last word. */
export const limits = {
  title: 120,
  description: 2_000,
  content: 200_000,
  domain: 100,
  compatibility: 100,
  files: 50,
} as const;

const FILE_NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;
const HAS_EXTENSION = /\.[\w-]+$/;
const SINGLE = "SOUL.md";

/** A character is a Unicode code point, as the hub counts. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** A soul's files: a single Markdown prompt is one file without a name of its own. */
export function readSoulFiles(soul: { content: string; file_type: string }): SoulFile[] {
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

/** What is wrong with a file's name; undefined when nothing is. */
export function fileNameProblem(name: string, others: readonly string[]): string | undefined {
  if (!name.trim()) return "Give the file a name, e.g. STYLE.md";
  if (!FILE_NAME.test(name) || name.includes("..")) {
    return "Letters, digits, dots, - and _ only, at most 100 characters";
  }
  if (!HAS_EXTENSION.test(name)) return "End the name with an extension, e.g. .md";
  if (others.includes(name)) return "There is a file of that name already";
  return undefined;
}
