/**
 * `pnpm fuzz`: the REST fuzzer at length, 20,000 requests on each database that there is.
 * `FUZZ_REQUESTS` sends another number, `FUZZ_SEED` the same ones again.
 */
import { spawnSync } from "node:child_process";

const { status } = spawnSync("vitest run packages/api/src/rest/fuzz", {
  shell: true,
  stdio: "inherit",
  env: { ...process.env, FUZZ_REQUESTS: process.env.FUZZ_REQUESTS ?? "20000" },
});
process.exitCode = status ?? 1;
