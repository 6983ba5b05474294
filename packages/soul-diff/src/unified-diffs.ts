import { FILE_HEADERS_ONLY, formatPatch } from "diff";
import type { ComparedFile } from "./compare-files.ts";

/** The name of the missing side of a file, by which `patch` creates and deletes files. */
const NO_FILE = "/dev/null";
/** Abbreviated ids of Git for a missing and an empty file. */
const MISSING_ID = "0000000";
const EMPTY_ID = "e69de29";

/**
 * Writes the change of each file in unified format; empty for an unchanged file. `patch -p0` applies
 * them byte for byte, one by one or all in one text.
 */
export function unifiedDiffs(files: readonly ComparedFile[]): string[] {
  // In one text, a header of Git ends with the next header of Git.
  const isGit = files.some(isEmptyFile);
  return files.map((file) => {
    if (file.state === "same") return "";
    return isEmptyFile(file)
      ? gitHeader(file)
      : formatPatch(patchOf(file, isGit), FILE_HEADERS_ONLY);
  });
}

const isEmptyFile = ({ state, hunks }: ComparedFile) => state !== "same" && hunks.length === 0;

const patchOf = ({ name, state, hunks }: ComparedFile, isGit: boolean) => ({
  isGit,
  isCreate: state === "added",
  isDelete: state === "removed",
  oldFileName: state === "added" ? NO_FILE : name,
  newFileName: state === "removed" ? NO_FILE : name,
  oldHeader: undefined,
  newHeader: undefined,
  hunks: [...hunks],
});

/** An empty file has no lines. Only a header of Git can say that it appears or disappears. */
function gitHeader({ name, state }: ComparedFile): string {
  const mode = state === "added" ? "new file mode 100644" : "deleted file mode 100644";
  const ids = state === "added" ? [MISSING_ID, EMPTY_ID] : [EMPTY_ID, MISSING_ID];
  return `diff --git ${name} ${name}\n${mode}\nindex ${ids.join("..")}\n`;
}
