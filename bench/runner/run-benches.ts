import { enableCompileCache, flushCompileCache, getCompileCacheDir } from "node:module";
import type { Bench, Result, Scenario } from "./bench.ts";
import { dropTemplates } from "./bench-database.ts";
import { inLanes } from "./lanes.ts";
import { within } from "./measure.ts";
import { printResult } from "./report.ts";
import { Stage } from "./stage.ts";

/** The benchmarks, those with the longest smoke first. Each has a folder. */
export const benches =
  "backup upgrade rooms upkeep traces sync chat souls attacks rest footprint".split(" ");
/** Benchmarks that smoke runs at the same time. Much of their time they wait. */
const LANES = 3;
/** The longest time of a scenario in smoke, with the start of its servers. */
const SMOKE_SECONDS = 300;

async function loadBench(name: string): Promise<Bench> {
  if (!benches.includes(name)) throw new Error(`There is no bench ${name}.`);
  return (await import(`../${name}/${name}.bench.ts`)).bench;
}

/**
 * Runs `pnpm bench <name>`: all scenarios of a benchmark, or those whose names contain an argument.
 * @returns true if every goal is reached
 */
export async function measureBench(name: string, args: string[]): Promise<boolean> {
  const { scenarios, isolates } = await loadBench(name);
  const options = Object.fromEntries(args.filter(isOption).map((arg) => arg.split(/=(.*)/s, 2)));
  const rows = args.filter((arg) => !isOption(arg));
  const isSelected = ({ name }: Scenario) =>
    rows.length === 0 || rows.some((row) => isRow(name, row));
  const selected = scenarios.filter(isSelected);
  if (selected.length === 0)
    throw new Error(`No row of ${scenarios.map((each) => each.name).join(", ")} matches.`);
  let isReached = true;
  for (const group of isolates ? selected.map((scenario) => [scenario]) : [selected]) {
    await runScenarios(new Stage(false, options), group, (scenario, outcome) => {
      const title = `${name}: ${scenario.name}`;
      if (outcome instanceof Error) console.error(`\nFAILED   ${title}`, outcome);
      isReached = !(outcome instanceof Error) && printResult(title, outcome) && isReached;
    });
  }
  return isReached;
}

const isOption = (arg: string) => /^\w+=/.test(arg);

const isShort = ({ isLong = false }: Scenario) => !isLong;

/** `B1` selects the row B1, but not B10. */
const isRow = (name: string, row: string) =>
  /^B\d+$/i.test(row) ? name.startsWith(`${row.toUpperCase()} `) : name.includes(row);

/**
 * Runs `pnpm bench smoke`: every scenario once, with its smallest load. A scenario fails if a
 * contender does not start, gives a wrong response, or loses or repeats an event; speed is ignored.
 * @param names benchmarks, by default all
 * @returns true if every scenario passed
 */
export async function smoke(names: string[]): Promise<boolean> {
  const began = performance.now();
  // All servers compile the same modules, which takes a third of the processor time of a start.
  enableCompileCache();
  process.env.NODE_COMPILE_CACHE = getCompileCacheDir();
  const selected = names.length > 0 ? names : benches;
  const loaded = [];
  for (const name of selected) loaded.push({ name, bench: await loadBench(name) });
  flushCompileCache();
  let [passed, failed] = [0, 0];
  await inLanes(LANES, loaded, ({ name, bench }) =>
    runScenarios(new Stage(true), bench.scenarios.filter(isShort), (scenario, outcome, seconds) => {
      const title = `${name} / ${scenario.name}`;
      const fault = outcome instanceof Error ? outcome.message : outcome.faults?.join("\n  ");
      console.log(
        fault ? `FAILED  ${title}\n  ${fault}` : `passed  ${title} (${seconds.toFixed(1)} s)`,
      );
      if (fault) failed++;
      else passed++;
    }),
  );
  await dropTemplates();
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(`\n${passed} scenarios passed, ${failed} failed, in ${seconds} s`);
  return failed === 0;
}

/** The stages in use. A signal disposes of them. */
const stages = new Set<Stage>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, async () => {
    console.error(`Stopped by ${signal}.`);
    for (const stage of stages) await stage[Symbol.asyncDispose]();
    await dropTemplates();
    process.exit(1);
  });
}

/** True once a scenario has failed. It leaves calls behind, which fail when its servers end. */
let hasFailed = false;
process.on("unhandledRejection", (error: Error) => {
  if (!hasFailed) throw error;
  console.error(`left behind: ${error.message}`);
});

/** Runs scenarios one after the other on a stage, and disposes of it. */
async function runScenarios(
  stage: Stage,
  scenarios: Scenario[],
  report: (scenario: Scenario, outcome: Result | Error, seconds: number) => void,
): Promise<void> {
  stages.add(stage);
  for (const scenario of scenarios) {
    const start = performance.now();
    const limit = stage.size(scenario.atMostSeconds, SMOKE_SECONDS);
    const outcome = await within(limit, () => scenario.run(stage)).catch((error: Error) => error);
    if (outcome instanceof Error || outcome.faults?.length) hasFailed = true;
    report(scenario, outcome, (performance.now() - start) / 1_000);
  }
  await stage[Symbol.asyncDispose]();
  stages.delete(stage);
}
