import { asOneLine } from "./foreign-text.ts";
import { bold, type Line } from "./terminal.ts";

/** Formats rows under their titles. Columns of numbers are aligned right. */
export function tableLines(
  titles: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): Line[] {
  const cells = rows.map((row) => row.map((cell) => asOneLine(String(cell ?? "–"))));
  const widths = titles.map((title, at) =>
    Math.max(title.length, ...cells.map((row) => row[at]?.length ?? 0)),
  );
  const isNumber = titles.map((_, at) => rows.every((row) => typeof row[at] === "number"));
  const lineOf = (row: readonly string[]) =>
    row
      .map((cell, at) => cell[isNumber[at] ? "padStart" : "padEnd"](widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  return [bold(lineOf(titles)), ...cells.map(lineOf)];
}
