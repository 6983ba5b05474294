/**
 * `pnpm fuzz`: runs the REST fuzzer with 20,000 requests on each available database.
 * `FUZZ_REQUESTS` sets the number of requests. `FUZZ_SEED` repeats an earlier run.
 */
import { spawnSync } from "node:child_process";

const { status } = spawnSync("vitest run transport/rest/fuzz", {
  shell: true,
  stdio: "inherit",
  env: { ...process.env, DEEP_TESTS: "only", FUZZ_REQUESTS: process.env.FUZZ_REQUESTS ?? "20000" },
});
process.exitCode = status ?? 1;
