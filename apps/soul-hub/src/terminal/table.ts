import { alignedRows } from "@soul-hub/program";
import { asOneLine } from "./foreign-text.ts";
import { bold, type Line } from "./terminal.ts";

/** Formats rows under their titles. Columns of numbers are aligned right. */
export function tableLines(
  titles: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): Line[] {
  const cells = rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? cell : asOneLine(cell ?? "–"))),
  );
  const [head = "", ...lines] = alignedRows(titles, cells);
  return [bold(head), ...lines];
}
