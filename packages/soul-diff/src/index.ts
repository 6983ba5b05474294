/** The public interface of the package. The hub and the page compare versions with it. */

export { type ComparedFile, compareFiles, type SoulFile } from "./compare-files.ts";
export { describeDifference } from "./describe-difference.ts";
export { unifiedDiffs } from "./unified-diffs.ts";
