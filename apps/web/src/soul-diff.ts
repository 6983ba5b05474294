import { type ComparedFile, compareFiles, type SoulFile } from "@soul-hub/soul-diff";
import { diffWordsWithSpace } from "diff";
import { readSoulFiles } from "./soul-files.ts";

/** A part of a line. `changed` is true if the other version has different text there. */
export interface DiffPiece {
  text: string;
  changed: boolean;
}

export interface DiffLine {
  number: number;
  pieces: readonly DiffPiece[];
  /** True if the file ends here without a line break, where the other side ends with one. */
  isUnended: boolean;
}

/** A row of a side-by-side diff. An added or removed line has one side only. */
export interface DiffRow {
  before?: DiffLine;
  after?: DiffLine;
  isSame: boolean;
}

export interface FileDiff {
  name: string;
  state: ComparedFile["state"];
  /** True if the comparison was broken off: the rows pair unrelated lines. */
  isWhole: boolean;
  rows: readonly DiffRow[];
}

/**
 * The diff marks single words only if the old and the new line together have at most this many
 * characters, which suffices for two summaries of a room.
 */
const MAX_LINE_CHARS = 4_000;

/** Time limit of a comparison in milliseconds. The page does not respond during a comparison. */
const BUDGET = { lines: 250, all: 500 };

interface Text {
  content: string;
  file_type: string | null;
}

/**
 * Compares two versions of a soul file by file, in the file order of the later version. Once the time
 * is up, files and lines count as changed as a whole.
 */
export const compareSouls = (before: Text, after: Text): FileDiff[] =>
  compareAll(readSoulFiles(before), readSoulFiles(after));

/** Compares two states of a text, as those of a file with this name. */
export function compareTexts(name: string, before: string, after: string): FileDiff {
  const [file] = compareAll([{ name, text: before }], [{ name, text: after }]);
  if (!file) throw new Error("The text was not compared.");
  return file;
}

function compareAll(old: readonly SoulFile[], now: readonly SoulFile[]): FileDiff[] {
  const end = Date.now() + BUDGET.all;
  // All lines are compared before the first words, which get the time that is left.
  const files = [...compareFiles(old, now, Number.POSITIVE_INFINITY, { totalMs: BUDGET.lines })];
  return files.map(({ name, state, isWhole, hunks }) => ({
    name,
    state,
    isWhole,
    rows: rowsOf(
      hunks.flatMap(({ lines }) => lines),
      isWhole ? () => ({}) : (removed, added) => markWords(removed, added, end - Date.now()),
    ),
  }));
}

interface Line {
  text: string;
  isUnended: boolean;
}

type MarkLines = (before: string | undefined, after: string | undefined) => MarkedPair;

/**
 * Arranges the lines of a unified diff, which begin with a sign, side by side.
 * @param mark marks the words that differ within a changed line
 */
function rowsOf(signedLines: readonly string[], mark: MarkLines): DiffRow[] {
  const rows: DiffRow[] = [];
  let beforeAt = 1;
  let afterAt = 1;
  let removed: Line[] = [];
  let added: Line[] = [];
  const addRow = (before: Line | undefined, after: Line | undefined, isLast: boolean) => {
    // A line that was the last one without a line break needs one before the lines added below it.
    // Only at the end of both files is the line break a change of its own.
    const isUneven = isLast && before && after && before.isUnended !== after.isUnended;
    const isSame = before?.text === after?.text && !isUneven;
    const pieces = isSame ? {} : mark(before?.text, after?.text);
    const side = (
      { text, isUnended }: Line,
      number: number,
      marked = [{ text, changed: false }],
    ): DiffLine => ({ number, pieces: marked, isUnended: isUnended && isUneven === true });
    rows.push({
      ...(before && { before: side(before, beforeAt++, pieces.before) }),
      ...(after && { after: side(after, afterAt++, pieces.after) }),
      isSame,
    });
  };
  const flush = (isEnd = false) => {
    const count = Math.max(removed.length, added.length);
    for (let at = 0; at < count; at++) {
      addRow(removed[at], added[at], isEnd && at === count - 1);
    }
    removed = [];
    added = [];
  };
  signedLines.forEach((signed, at) => {
    const line = { text: signed.slice(1), isUnended: signedLines[at + 1]?.[0] === "\\" };
    if (signed[0] === "-") removed.push(line);
    if (signed[0] === "+") added.push(line);
    if (signed[0] !== " ") return;
    flush();
    addRow(line, line, false);
  });
  flush(true);
  return rows;
}

interface MarkedPair {
  before?: DiffPiece[];
  after?: DiffPiece[];
}

function markWords(
  before: string | undefined,
  after: string | undefined,
  timeout: number,
): MarkedPair {
  if (before === undefined || after === undefined) return {};
  const isShort = before.length + after.length <= MAX_LINE_CHARS;
  const words = isShort && timeout > 0 && diffWordsWithSpace(before, after, { timeout });
  if (!words) {
    return { before: [{ text: before, changed: true }], after: [{ text: after, changed: true }] };
  }
  const side = (left: "added" | "removed") =>
    words
      .filter((word) => !word[left])
      .map(({ value, added, removed }) => ({ text: value, changed: added || removed }));
  return { before: side("added"), after: side("removed") };
}
