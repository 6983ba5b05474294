import { type ComparedFile, compareFiles, type SoulFile, unifiedDiffs } from "@soul-hub/soul-diff";
import {
  filesOf,
  type ImportedSoul,
  type PackageFile,
  type SoulState,
} from "@soul-hub/soul-formats";
import { asOneLine } from "../terminal/foreign-text.ts";
import { bold, cyan, green, type Line, red } from "../terminal/terminal.ts";

/** What differs between two states of a soul. */
export interface Comparison {
  fields: { name: string; before: string; after: string }[];
  /** The files of the content that differ. */
  files: { name: string; state: ComparedFile["state"]; unified: string }[];
  /** The paths of the package that differ. */
  package: { path: string; state: ComparedFile["state"] }[];
  /** Of two versions on the hub: all that differs, as kinds and as a sentence. */
  differs_in?: readonly string[];
  summary?: string;
}

const CONTEXT_LINES = 3;
const fieldNames = ["title", "description", "role", "domain", "compatibility"] as const;

/** The state that a soul gets from a file, by the rules of the hub's import (0052). */
export const stateAfter = (before: SoulState, read: ImportedSoul): SoulState => ({
  ...before,
  ...read.fields,
  content: read.content,
  file_type: read.file_type,
  // One Markdown says nothing about the package that the soul has.
  package: read.format === "md" ? before.package : read.package,
});

export function compareSouls(before: SoulState, after: SoulState): Comparison {
  const compared = [...compareFiles(filesIn(before), filesIn(after), CONTEXT_LINES)];
  const unified = unifiedDiffs(compared);
  return {
    fields: fieldNames.flatMap((name) =>
      before[name] === after[name] ? [] : [{ name, before: before[name], after: after[name] }],
    ),
    files: compared.flatMap(({ name, state }, at) =>
      state === "same" ? [] : [{ name, state, unified: unified[at] ?? "" }],
    ),
    package: comparePackages(before.package, after.package),
  };
}

const filesIn = (soul: SoulState): SoulFile[] =>
  Object.entries(filesOf(soul)).map(([name, text]) => ({ name, text }));

function comparePackages(before: readonly PackageFile[], after: readonly PackageFile[]) {
  const former = new Map(before.map(({ path, bytes }) => [path, bytes]));
  const changes: Comparison["package"] = [];
  for (const { path, bytes } of after) {
    const old = former.get(path);
    former.delete(path);
    if (!old) changes.push({ path, state: "added" });
    else if (Buffer.compare(old, bytes) !== 0) changes.push({ path, state: "changed" });
  }
  for (const path of former.keys()) changes.push({ path, state: "removed" });
  return changes;
}

export const isSame = ({ fields, files, package: kept, differs_in = [] }: Comparison): boolean =>
  fields.length + files.length + kept.length + differs_in.length === 0;

/** One line for each change. */
export const changeLines = ({ fields, files, package: kept }: Comparison): Line[] => [
  ...fields.map(({ name }) => `  changed  ${name}`),
  ...files.map(({ name, state }) => `  ${state.padEnd(7)}  ${asOneLine(name)}`),
  ...kept.map(({ path, state }) => `  ${state.padEnd(7)}  ${asOneLine(path)} (beside the content)`),
];

/** The changes themselves: fields, then texts in unified format. */
export const diffLines = ({ fields, files, package: kept, summary }: Comparison): Line[] => [
  ...fields.flatMap(({ name, before, after }): Line[] => [
    bold(name),
    ...(before ? [red(`-${before}`)] : []),
    ...(after ? [green(`+${after}`)] : []),
  ]),
  ...files.flatMap(({ unified }) => unified.replace(/\n$/, "").split("\n").map(colored)),
  ...kept.map(({ path, state }) => bold(`${state}: ${asOneLine(path)} (beside the content)`)),
  ...(summary && files.length === 0 ? [summary] : []),
];

function colored(line: string): Line {
  if (/^(?:---|\+\+\+) /.test(line)) return bold(line);
  if (line.startsWith("+")) return green(line);
  if (line.startsWith("-")) return red(line);
  return line.startsWith("@@") ? cyan(line) : line;
}
