import { loadBench } from "../benches.ts";
import { printResult } from "./report.ts";
import { exitOnSignal, runScenario } from "./run-scenario.ts";
import { Stage } from "./stage.ts";

/**
 * Runs `pnpm bench <name>`: all scenarios of a benchmark, or those whose names contain an argument.
 * @returns true if every goal is reached
 */
export async function measureBench(name: string, args: string[]): Promise<boolean> {
  const { scenarios, isolates = false } = await loadBench(name);
  const options = Object.fromEntries(args.filter(isOption).map((arg) => arg.split(/=(.*)/s, 2)));
  const rows = args.filter((arg) => !isOption(arg));
  const selected = scenarios.filter(
    (each) => rows.length === 0 || rows.some((row) => isRow(each.name, row)),
  );
  if (selected.length === 0)
    throw new Error(`No row of ${scenarios.map((each) => each.name).join(", ")} matches.`);
  const results: boolean[] = [];
  let stage = new Stage(false, options);
  exitOnSignal(() => [stage]);
  try {
    for (const scenario of selected) {
      const title = `${name}: ${scenario.name}`;
      try {
        results.push(printResult(title, await runScenario(scenario, stage)));
      } catch (error) {
        console.error(`\nFAILED   ${title}`, error);
        results.push(false);
      }
      if (!isolates) continue;
      await stage[Symbol.asyncDispose]();
      stage = new Stage(false, options);
    }
  } finally {
    await stage[Symbol.asyncDispose]();
  }
  return results.every(Boolean);
}

const isOption = (arg: string) => /^\w+=/.test(arg);

/** `B1` selects the row B1, but not B10. */
const isRow = (name: string, row: string) =>
  /^B\d+$/i.test(row) ? name.startsWith(`${row.toUpperCase()} `) : name.includes(row);
