import { cleanRun } from "../clean-run.ts";
import { findRows } from "./find-rows.ts";
import { printFigures, printVerdicts } from "./report.ts";
import type { Row, RowResult } from "./row.ts";

/** `pnpm bench rooms`, or some rows alone: `pnpm bench rooms B1 B4`. True: every goal is reached. */
export async function run(names: string[]): Promise<boolean> {
  const results = new Map<Row, RowResult>();
  // Each row has its processes and databases to itself, and leaves none to the next.
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
