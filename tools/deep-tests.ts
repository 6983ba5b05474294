/**
 * Deep tests kill servers, fill disks, soak rooms or repeat random runs many times, so they take
 * minutes. A file is deep by its name. `node tools/deep-tests.ts` prints those that .ci/run draws.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "..");
export const DEEP = "{apps,packages}/*/{src,test}/**/*.deep.test.ts";

/** Returns the deep files, in an order by lot. HEAD's hash decides, so one commit has one order. */
function shuffledFiles(): string[] {
  const head = execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" });
  const lot = (file: string) => createHash("sha256").update(head).update(file).digest("hex");
  return globSync(DEEP, { cwd: root }).sort((a, b) => lot(a).localeCompare(lot(b)));
}

const third = (files: string[]) => Math.ceil(files.length / 3);

/** Returns the deep files that a run skips, by DEEP_TESTS: `all`, `only`, a `third`, or none run. */
export function skippedFiles(): string[] {
  switch (process.env.DEEP_TESTS) {
    case "all":
    case "only":
      return [];
    case "third": {
      const files = shuffledFiles();
      return files.slice(third(files));
    }
    default:
      return [DEEP];
  }
}

if (import.meta.main) {
  const files = shuffledFiles();
  console.log(files.slice(0, third(files)).sort().join("\n"));
}
