export interface Column {
  title: string;
  /** The alignment of the column's cells, left by default. Columns of numbers are aligned right. */
  align?: "right";
}

/** Formats rows under their titles. Each column is as wide as its widest cell. */
export function alignedTable(columns: readonly Column[], rows: readonly string[][]): string {
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    columns
      .map(({ align }, at) => {
        const [cell = "", width = 0] = [cells[at], widths[at]];
        return align === "right" ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd();
  return [columns.map(({ title }) => title), ...rows].map(line).join("\n");
}
