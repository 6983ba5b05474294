import { cleanRun } from "../clean-run.ts";
import { findRows } from "./find-rows.ts";
import { printFigures, printVerdicts } from "./report.ts";
import type { Row, RowResult } from "./row.ts";

/** `pnpm bench rooms`, or some rows: `pnpm bench rooms B1 B4`. Returns true if all goals are reached. */
export async function run(names: string[]): Promise<boolean> {
  const results = new Map<Row, RowResult>();
  // Each row of the bench starts its own processes and databases.
  for (const row of await findRows(names)) {
    await cleanRun(row.atMostSeconds * 1_000, async (newDatabase, onEnd) => {
      const result = await row.run({ newDatabase, onEnd });
      results.set(row, result);
      printFigures(row, result);
      return true;
    });
  }
  return printVerdicts(results);
}
