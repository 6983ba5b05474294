import { diffLines, diffWordsWithSpace } from "diff";
import { readSoulFiles } from "./soul-files.ts";

/** A part of a line. `changed` is true if the other version has different text there. */
export interface DiffPiece {
  text: string;
  changed: boolean;
}

export interface DiffLine {
  number: number;
  pieces: readonly DiffPiece[];
}

/** A row of a side-by-side diff. An added or removed line has one side only. */
export interface DiffRow {
  before?: DiffLine;
  after?: DiffLine;
  isSame: boolean;
}

export interface FileDiff {
  name: string;
  state: "same" | "changed" | "added" | "removed";
  rows: readonly DiffRow[];
}

/**
 * The maximum number of edits between two files. With more edits the diff would take seconds, so
 * the files count as entirely different.
 */
const MAX_EDITS = 4_000;
/**
 * The diff marks single words only if the old and the new line together have at most this many
 * characters.
 */
const MAX_LINE_CHARS = 2_000;

interface Text {
  content: string;
  file_type: string;
}

/** Compares two versions of a soul file by file, in the file order of the later version. */
export function compareSouls(before: Text, after: Text): FileDiff[] {
  const old = new Map(readSoulFiles(before).map(({ name, text }) => [name, endLine(text)]));
  const files = readSoulFiles(after).map(({ name, text: given }): FileDiff => {
    const text = endLine(given);
    const former = old.get(name);
    old.delete(name);
    if (former === text) return { name, state: "same", rows: [] };
    const state = former === undefined ? "added" : "changed";
    return { name, state, rows: compareTexts(former ?? "", text) };
  });
  const removed = [...old].map(
    ([name, text]): FileDiff => ({ name, state: "removed", rows: compareTexts(text, "") }),
  );
  return [...files, ...removed];
}

/**
 * Adds a final newline. Without it, the last line would differ from the same line with a newline
 * (POSIX: "line").
 */
const endLine = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

/** Compares two texts line by line. Within a changed line, the words that differ are marked. */
function compareTexts(before: string, after: string): DiffRow[] {
  const changes = diffLines(before, after, { maxEditLength: MAX_EDITS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const rows: DiffRow[] = [];
  let beforeAt = 1;
  let afterAt = 1;
  const addRow = (pair: Pair, isSame: boolean) =>
    rows.push({
      ...(pair.before && { before: { number: beforeAt++, pieces: pair.before } }),
      ...(pair.after && { after: { number: afterAt++, pieces: pair.after } }),
      isSame,
    });
  let removed: string[] = [];
  const flush = (added: string[]) => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      addRow(pairLines(removed[at], added[at]), false);
    }
    removed = [];
  };
  for (const change of changes) {
    const lines = linesOf(change.value);
    flush(change.added ? lines : []);
    if (change.removed) removed = lines;
    else if (!change.added) {
      for (const text of lines) {
        const pieces = [{ text, changed: false }];
        addRow({ before: pieces, after: pieces }, true);
      }
    }
  }
  flush([]);
  return rows;
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  // The empty text after the final newline is not a line.
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

interface Pair {
  before?: DiffPiece[];
  after?: DiffPiece[];
}

function pairLines(before: string | undefined, after: string | undefined): Pair {
  if (before === undefined) return { after: [{ text: after ?? "", changed: false }] };
  if (after === undefined) return { before: [{ text: before, changed: false }] };
  if (before.length + after.length > MAX_LINE_CHARS) {
    return { before: [{ text: before, changed: true }], after: [{ text: after, changed: true }] };
  }
  const words = diffWordsWithSpace(before, after);
  const side = (left: "added" | "removed") =>
    words
      .filter((word) => !word[left])
      .map(({ value, added, removed }) => ({ text: value, changed: added || removed }));
  return { before: side("added"), after: side("removed") };
}
