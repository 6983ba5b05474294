import { benches, loadBench } from "../benches.ts";
import { dropTemplates } from "./bench-database.ts";
import { exitOnSignal, runScenario } from "./run-scenario.ts";
import { Stage } from "./stage.ts";

/** Benchmarks that run at the same time. Much of their time they wait. */
const LANES = 3;

/**
 * Runs `pnpm bench smoke`: every scenario once, with its smallest load. A scenario fails if a
 * contender does not start, gives a wrong response, or loses or repeats an event; speed is ignored.
 * @param names benchmarks, by default all
 * @returns true if every scenario passed
 */
export async function smoke(names: string[]): Promise<boolean> {
  const waiting = names.length > 0 ? [...names] : Object.keys(benches);
  const stages = new Set<Stage>();
  exitOnSignal(() => stages, dropTemplates);
  const began = performance.now();
  let [passed, failed] = [0, 0];
  const smokeBench = async (name: string) => {
    const stage = new Stage(true);
    stages.add(stage);
    for (const scenario of (await loadBench(name)).scenarios) {
      const title = `${name} / ${scenario.name}`;
      const start = performance.now();
      const fault = await runScenario(scenario, stage).then(
        ({ faults = [] }) => faults.join("\n  "),
        (error: Error) => error.message,
      );
      const seconds = ((performance.now() - start) / 1_000).toFixed(1);
      console.log(fault ? `FAILED  ${title}\n  ${fault}` : `passed  ${title} (${seconds} s)`);
      if (fault) failed++;
      else passed++;
    }
    await stage[Symbol.asyncDispose]();
    stages.delete(stage);
  };
  const lane = async () => {
    for (let name = waiting.shift(); name; name = waiting.shift()) await smokeBench(name);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await dropTemplates();
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(`\n${passed} scenarios passed, ${failed} failed, in ${seconds} s`);
  return failed === 0;
}
