import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");
/** CONTRIBUTING.md, Names and language. */
const MAX_FILES = 25;
/** The folders of code. `docs/decisions` grows with each decision. */
const CODE = /^(?:apps|bench|examples|packages|tools)\//;

it("no folder of code has more than 25 files", () => {
  const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" });
  const sizes = new Map<string, number>();
  for (const file of tracked.split("\0")) {
    // Git still lists a file that is deleted but not yet committed.
    if (!CODE.test(file) || !existsSync(resolve(root, file))) continue;
    sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
  }
  expect(sizes.size).toBeGreaterThan(50);
  expect([...sizes].filter(([, size]) => size > MAX_FILES)).toEqual([]);
});
