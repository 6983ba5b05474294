import { expect, it, onTestFinished, vi } from "vitest";
import { compareSouls } from "./soul-diff.ts";

/** Compares two texts. Returns each row as [same?, before, after]. */
function compare(before: string, after: string) {
  const [file] = compareSouls(
    { content: before, file_type: "single_md" },
    { content: after, file_type: "single_md" },
  );
  return file?.rows.map((row) => [
    row.isSame,
    ...[row.before, row.after].map(
      (line) =>
        line && line.pieces.map(({ text }) => text).join("") + (line.isUnended ? " (unended)" : ""),
    ),
  ]);
}

it("does not mark a last line without a line break that gets lines below it", () => {
  expect(compare("One.\nTwo.", "One.\nTwo.\nThree.")).toEqual([
    [true, "One.", "One."],
    [true, "Two.", "Two."],
    [false, undefined, "Three."],
  ]);
  expect(compare("One.\nTwo.\n", "One.")).toEqual([
    [true, "One.", "One."],
    [false, "Two.", undefined],
  ]);
});

it("shows a line break at the end that is the only change", () => {
  expect(compare("One.\nTwo.", "One.\nTwo.\n")).toEqual([
    [true, "One.", "One."],
    [false, "Two. (unended)", "Two."],
  ]);
});

it("shows a line break at the end beside changed words", () => {
  expect(compare("One.\nTwo.\n", "One.\nThree.")).toEqual([
    [true, "One.", "One."],
    [false, "Two.", "Three. (unended)"],
  ]);
});

const single = (line: (n: number) => string, count: number) => ({
  content: Array.from({ length: count }, (_, n) => line(n)).join("\n"),
  file_type: "single_md",
});

it("marks no words in files that differ too much to be compared line by line", () => {
  const [file] = compareSouls(
    single((n) => `The old line ${n}`, 2_001),
    single((n) => `The new line ${n}`, 2_001),
  );
  expect(file?.isWhole).toBe(true);
  expect(file?.rows).toHaveLength(2_001);
  const pieces = file?.rows.flatMap(({ before, after }) => [before?.pieces, after?.pieces]) ?? [];
  expect(pieces.filter((side) => side?.length !== 1 || side[0]?.changed)).toEqual([]);
});

it("marks lines as a whole once the time for words is up", () => {
  // This clock ticks with each look at it, and a comparison looks once for each edit it tries.
  let now = 0;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => (now += 5));
  onTestFinished(() => clock.mockRestore());
  const [file] = compareSouls(
    single((n) => `${n} a b c d e same`, 20),
    single((n) => `${n} v w x y z same`, 20),
  );
  expect(file?.isWhole).toBe(false);
  const first = file?.rows[0]?.after?.pieces;
  expect(first?.at(-1)).toEqual({ text: " same", changed: false });
  expect(file?.rows[19]?.after?.pieces).toEqual([{ text: "19 v w x y z same", changed: true }]);
});
