import { type StructuredPatchHunk, structuredPatch } from "diff";

/** One file of a soul. */
export interface SoulFile {
  name: string;
  text: string;
}

/** A file in two versions of a soul. */
export interface ComparedFile {
  name: string;
  state: "same" | "changed" | "added" | "removed";
  /** The number of added lines. */
  added: number;
  /** The number of removed lines. */
  removed: number;
  /** True if the comparison was broken off: all lines are removed and added. */
  isWhole: boolean;
  /** The changed lines with lines of context; empty for an unchanged file. */
  hunks: readonly StructuredPatchHunk[];
}

/** Limits of a comparison, which would take seconds for files without a common line. */
export interface DiffLimits {
  /** The number of added and removed lines of one file. */
  maxEdits: number;
  /** Milliseconds for one file. */
  fileMs: number;
  /** Milliseconds for all files together. */
  totalMs: number;
  /** Returns a time in milliseconds. */
  now(): number;
}

const LIMITS: DiffLimits = {
  maxEdits: 4_000,
  fileMs: 250,
  totalMs: 500,
  now: () => performance.now(),
};

/** Follows a line that ends the file without a line break, as in the output of `diff`. */
const NO_NEWLINE = "\\ No newline at end of file";

/**
 * Compares two versions file by file: the files of the later version in their order, then those that
 * it no longer has. Texts are compared byte for byte.
 * @param context the number of unchanged lines around each change
 * @param limits a changed file beyond them is whole; the time between two files does not count
 * @yields one file at a time, since each may take 250 ms
 */
export function* compareFiles(
  before: readonly SoulFile[],
  after: readonly SoulFile[],
  context: number,
  limits: Partial<DiffLimits> = {},
): Generator<ComparedFile> {
  const { maxEdits, fileMs, totalMs, now } = { ...LIMITS, ...limits };
  let spentMs = 0;
  const former = new Map(before.map(({ name, text }) => [name, text]));
  for (const { name, text } of after) {
    const old = former.get(name);
    former.delete(name);
    if (old === undefined) {
      yield withHunks({ name, state: "added" }, replaceText("", text));
      continue;
    }
    const begun = now();
    const timeout = Math.min(fileMs, totalMs - spentMs);
    const file = compareTexts(name, { old, text, context, maxEditLength: maxEdits, timeout });
    spentMs += now() - begun;
    yield file;
  }
  for (const [name, text] of former) {
    yield withHunks({ name, state: "removed" }, replaceText(text, ""));
  }
}

interface TextComparison {
  old: string;
  text: string;
  context: number;
  maxEditLength: number;
  /** Milliseconds. With 0 or less, changed texts are not compared. */
  timeout: number;
}

function compareTexts(name: string, { old, text, ...options }: TextComparison): ComparedFile {
  if (old === text) return withHunks({ name, state: "same" }, []);
  const patch =
    options.timeout > 0
      ? structuredPatch(name, name, old, text, undefined, undefined, options)
      : undefined;
  const file = { name, state: "changed" } as const;
  return patch
    ? withHunks(file, patch.hunks)
    : { ...withHunks(file, replaceText(old, text)), isWhole: true };
}

function withHunks(
  file: Pick<ComparedFile, "name" | "state">,
  hunks: readonly StructuredPatchHunk[],
): ComparedFile {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { ...file, added: count("+"), removed: count("-"), isWhole: false, hunks };
}

/** Returns the hunk that removes all lines of one text and adds all lines of another. */
function replaceText(old: string, text: string): StructuredPatchHunk[] {
  if (old === text) return [];
  const [removed, added] = [signLines("-", old), signLines("+", text)];
  const lines = [...removed.lines, ...added.lines];
  return [{ oldStart: 1, oldLines: removed.count, newStart: 1, newLines: added.count, lines }];
}

function signLines(sign: string, text: string) {
  if (text === "") return { count: 0, lines: [] };
  const lines = text.split("\n").map((line) => sign + line);
  const count = text.endsWith("\n") ? lines.length - 1 : lines.length;
  // After a final line break, split has added an empty line.
  lines.splice(count, 1, ...(text.endsWith("\n") ? [] : [NO_NEWLINE]));
  return { count, lines };
}
