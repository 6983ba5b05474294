import { printTable } from "../rest/report.ts";
import type { Row, RowResult } from "./row.ts";

/** Prints the results of one row by contender. */
export function printFigures({ id, work }: Row, { figures }: RowResult): void {
  console.log(`\n${id}: ${work}\n`);
  const heads = Object.keys(figures[0]?.values ?? {});
  printTable([
    ["server", ...heads],
    ...figures.map(({ contender, values }) => [
      contender,
      ...heads.map((head) => values[head] ?? ""),
    ]),
  ]);
}

/** Prints all rows with their goals. Returns true if all goals are reached. */
export function printVerdicts(results: Map<Row, RowResult>): boolean {
  console.log("\nGoals\n");
  const lines = [...results].flatMap(([{ id, work }, { verdicts, clientCpu }]) =>
    verdicts.map(({ goal, measured, isReached }, nth) => [
      nth === 0 ? id : "",
      nth === 0 ? work : "",
      goal,
      measured,
      clientCpu === null ? "" : `${(clientCpu * 100).toFixed(0)} %`,
      isReached ? "reached" : "MISSED",
    ]),
  );
  printTable([["#", "work", "goal", "measured", "client CPU", "verdict"], ...lines]);
  return [...results.values()].every(({ verdicts }) =>
    verdicts.every(({ isReached }) => isReached),
  );
}
