type Cell = string | number;

/**
 * Formats rows under their titles, one line each. Each column is as wide as its widest cell.
 * @param isRight whether a column is aligned right, as columns of numbers are by default
 */
export function alignedRows(
  titles: readonly string[],
  rows: readonly (readonly Cell[])[],
  isRight = (at: number) => rows.every((row) => typeof row[at] === "number"),
): string[] {
  const lines = [titles, ...rows].map((row) => row.map(String));
  const columns = titles.map((_, at) => ({
    pad: isRight(at) ? ("padStart" as const) : ("padEnd" as const),
    width: Math.max(...lines.map((cells) => cells[at]?.length ?? 0)),
  }));
  return lines.map((cells) =>
    columns
      .map(({ pad, width }, at) => (cells[at] ?? "")[pad](width))
      .join("  ")
      .trimEnd(),
  );
}
