export interface Column {
  title: string;
  /** Numbers are read from their right end. */
  align?: "right";
}

/** Rows under their titles, each column as wide as it must be. */
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
