import { applyPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ComparedFile, compareFiles } from "./compare-files.ts";
import { unifiedDiffs } from "./unified-diffs.ts";

const compareTexts = (before: string, after: string, context = 3, limits = {}) => {
  const [file] = compareFiles(
    [{ name: "SOUL.md", text: before }],
    [{ name: "SOUL.md", text: after }],
    context,
    limits,
  );
  if (!file) throw new Error("There is no file.");
  return file;
};

const unifiedOf = (file: ComparedFile) => unifiedDiffs([file]).join("");

/** Lines that a diff could take for its own, line breaks of other systems, and missing ones. */
const text = fc
  .array(
    fc.constantFrom(
      "a\n",
      "b\n",
      "\n",
      "a\r\n",
      "\r",
      "-a\n",
      "+++ b\n",
      "--- a\n",
      "@@ -1 +1 @@\n",
      "\\ No\n",
      "é",
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

describe("the unified diff of two texts", () => {
  it("turns the first text into the second, byte for byte", () => {
    const isApplied = fc.property(text, text, (before, after) => {
      const unified = unifiedOf(compareTexts(before, after));
      const result = unified === "" ? before : applyPatch(before, unified, { fuzzFactor: 0 });
      expect(result).toBe(after);
    });
    fc.assert(isApplied, { numRuns: 2_000 });
  });

  const lines = (word: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${word} ${n}`);
  const unlimited = { fileMs: Number.POSITIVE_INFINITY, totalMs: Number.POSITIVE_INFINITY };

  it("removes and adds all lines beyond 4,000 edits, without a limit of time", () => {
    const [before, after] = [lines("old", 2_001).join("\n"), `${lines("new", 2_001).join("\n")}\n`];
    const file = compareTexts(before, after, 3, unlimited);
    expect([file.isWhole, file.removed, file.added]).toEqual([true, 2_001, 2_001]);
    expect(applyPatch(before, unifiedOf(file))).toBe(after);
  });

  it("is compared with 4,000 edits, without a limit of time", () => {
    const [before, after] = ["old", "new"].map((word) => `${lines(word, 2_000).join("\n")}\n`);
    const file = compareTexts(before ?? "", after ?? "", 3, unlimited);
    expect([file.isWhole, file.removed, file.added]).toEqual([false, 2_000, 2_000]);
  });

  it("removes and adds all lines of a small change without time", () => {
    const [before, after] = ["a\nb\n", "a\nc\n"];
    const file = compareTexts(before, after, 3, { fileMs: 0 });
    expect([file.isWhole, file.removed, file.added]).toEqual([true, 2, 2]);
    expect(applyPatch(before, unifiedOf(file))).toBe(after);
    expect(compareTexts(before, before, 3, { fileMs: 0 }).state).toBe("same");
  });
});

describe("a comparison of files", () => {
  it("names the files of the later version in their order, then the removed ones", () => {
    const files = (names: string) => [...names].map((name) => ({ name, text: name }));
    const compared = [...compareFiles(files("dcba"), files("xcay"), 3)];
    expect(compared.map(({ name, state }) => `${state} ${name}`)).toEqual([
      "added x",
      "same c",
      "same a",
      "added y",
      "removed d",
      "removed b",
    ]);
  });

  it("leaves the changed files whole that come after its time", () => {
    const names = ["a", "b", "c", "d"];
    const [before, after] = ["one", "two"].map((text) => [
      ...names.map((name) => ({ name, text: `same\n${text}\n` })),
      { name: "same", text: "" },
    ]);
    let time = 0;
    // Each look at the clock takes 100 ms, and each file has two.
    const now = () => (time += 100);
    const compared = compareFiles(before ?? [], after ?? [], 3, { totalMs: 250, now });
    const whole = Array.from(compared, ({ name, isWhole }) => {
      // The time of the reader is not that of the comparison.
      time += 10_000;
      return [name, isWhole];
    });
    expect(whole).toEqual([
      ["a", false],
      ["b", false],
      ["c", false],
      ["d", true],
      ["same", false],
    ]);
  });

  it("has all lines in one hunk without a limit of context", () => {
    const before = Array.from({ length: 50 }, (_, n) => `${n}\n`).join("");
    const after = before.replace("\n4\n", "\nfour\n").replace("\n40\n", "\nforty\n");
    const { hunks } = compareTexts(before, after, Number.POSITIVE_INFINITY);
    expect(hunks.map(({ lines }) => lines.length)).toEqual([52]);
    expect(compareTexts(before, after).hunks).toHaveLength(2);
  });
});
