import type { Result, Scenario } from "./bench.ts";
import { within } from "./measure.ts";
import type { Stage } from "./stage.ts";

/** The longest time of a scenario in `pnpm bench smoke`, with the start of its servers. */
const SMOKE_SECONDS = 300;

export const runScenario = ({ atMostSeconds, run }: Scenario, stage: Stage): Promise<Result> =>
  within(stage.size(atMostSeconds, SMOKE_SECONDS), () => run(stage));

/** Disposes stages, cleans up and exits with 1 on SIGINT and SIGTERM. */
export function exitOnSignal(stages: () => Iterable<AsyncDisposable>, cleanUp?: () => unknown) {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, async () => {
      console.error(`Stopped by ${signal}.`);
      for (const stage of stages()) await stage[Symbol.asyncDispose]();
      await cleanUp?.();
      process.exit(1);
    });
  }
}
