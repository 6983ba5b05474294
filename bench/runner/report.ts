import type { Goal, Result } from "./bench.ts";
import { type Table, valueAt } from "./measure.ts";

/** Prints the table of a scenario, its notes, goals and faults. Returns true if all goals are reached. */
export function printResult(title: string, { table, goals = [], faults = [], notes = [] }: Result) {
  const columns = [...new Set([...table.values()].flatMap((values) => Object.keys(values)))];
  console.log(`\n${title}\n`);
  printTable([
    ["", ...columns],
    ...[...table].map(([name, values]) => [name, ...columns.map((at) => formatValue(values[at]))]),
  ]);
  console.log();
  for (const note of notes) console.log(note);
  for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
  for (const { goal, measured, isReached } of [...goals, faultGoal(faults)]) {
    console.log(`${isReached ? "reached" : "MISSED "}  ${goal}: ${measured}`);
  }
  return faults.length === 0 && goals.every(({ isReached }) => isReached);
}

const faultGoal = ({ length }: string[]): Goal => atMost("faults", length, 0);

const formatValue = (value: number | undefined): string =>
  value === undefined ? "" : Number.isNaN(value) ? "?" : value.toFixed(digitsOf(value));

/** Three significant digits; none after the point for counts. */
const digitsOf = (value: number) =>
  Number.isInteger(value)
    ? 0
    : Math.max(0, Math.min(3, 2 - Math.floor(Math.log10(Math.abs(value)))));

export const atMost = (what: string, value: number, limit: number, unit = ""): Goal => ({
  goal: `${what} ≤ ${limit}${unit}`,
  measured: `${formatValue(value)}${unit}`,
  isReached: value <= limit,
});

export const atLeast = (what: string, value: number, limit: number, unit = ""): Goal => ({
  goal: `${what} ≥ ${limit}${unit}`,
  measured: `${formatValue(value)}${unit}`,
  isReached: value >= limit,
});

interface Ratio {
  of: string;
  to: string;
  atLeast?: number;
  atMost?: number;
}

/** Compares a value of one contender with that of another. */
export function ratioGoal(table: Table, column: string, ratio: Ratio): Goal {
  const value = valueAt(table, ratio.of, column) / valueAt(table, ratio.to, column);
  const what = `${ratio.of}, ${column}`;
  return ratio.atLeast === undefined
    ? atMost(what, value, ratio.atMost ?? 0, ` × ${ratio.to}`)
    : atLeast(what, value, ratio.atLeast, ` × ${ratio.to}`);
}

/** Prints a table in Markdown. */
function printTable([head = [], ...lines]: string[][]): void {
  const widths = head.map((name, column) =>
    Math.max(name.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const pad = (cell: string, at: number) =>
    at ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[0] ?? 0);
  const rule = widths.map((width, at) =>
    at ? `${"-".repeat(width + 1)}:` : "-".repeat(width + 2),
  );
  console.log(`| ${head.map(pad).join(" | ")} |\n|${rule.join("|")}|`);
  for (const line of lines) console.log(`| ${line.map(pad).join(" | ")} |`);
}
