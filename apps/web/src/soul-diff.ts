import { diffLines, diffWordsWithSpace } from "diff";
import { readSoulFiles } from "./soul-files.ts";

/** A stretch of a line; `changed` where it differs from the line beside it. */
export interface DiffPiece {
  text: string;
  changed: boolean;
}

export interface DiffLine {
  number: number;
  pieces: readonly DiffPiece[];
}

/** Two lines side by side. One is missing where a line was added or removed. */
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

/** Beyond so many edits the comparison takes seconds and reads like two texts anyway. */
const MAX_EDITS = 4_000;
/** Words are compared within lines that are no longer than this. */
const MAX_LINE_CHARS = 2_000;

interface Text {
  content: string;
  file_type: string;
}

/** Compares two states of a soul, file by file, in the order of the later one. */
export function compareSouls(before: Text, after: Text): FileDiff[] {
  const old = new Map(readSoulFiles(before).map(({ name, text }) => [name, text]));
  const files = readSoulFiles(after).map(({ name, text }): FileDiff => {
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

/** Lines side by side, and within changed lines the words that differ. */
function compareTexts(before: string, after: string): DiffRow[] {
  const changes = diffLines(before, after, { maxEditLength: MAX_EDITS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  const rows: DiffRow[] = [];
  let beforeAt = 1;
  let afterAt = 1;
  let removed: string[] = [];
  const flush = (added: string[]) => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      const row = pairLines(removed[at], added[at]);
      rows.push({
        ...(row.before && { before: { number: beforeAt++, pieces: row.before } }),
        ...(row.after && { after: { number: afterAt++, pieces: row.after } }),
        isSame: false,
      });
    }
    removed = [];
  };
  for (const change of changes) {
    const lines = linesOf(change.value);
    if (change.removed) {
      flush([]);
      removed = lines;
    } else if (change.added) flush(lines);
    else {
      flush([]);
      for (const text of lines) {
        const pieces = [{ text, changed: false }];
        rows.push({
          before: { number: beforeAt++, pieces },
          after: { number: afterAt++, pieces },
          isSame: true,
        });
      }
    }
  }
  flush([]);
  return rows;
}

function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  // The last line's end is no line of its own.
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
