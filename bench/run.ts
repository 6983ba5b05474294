/**
 * `pnpm bench <name> [row…] [option=value…]` runs one benchmark, or the rows whose names contain an
 * argument. `pnpm bench smoke [name…]` runs every scenario once with its smallest load.
 * bench/README.md explains the results.
 */
import { benches, measureBench, smoke } from "./runner/run-benches.ts";

const [name = "", ...args] = process.argv.slice(2);
if (name !== "smoke" && !benches.includes(name)) {
  console.error(`Name a benchmark: pnpm bench smoke | ${benches.join(" | ")}`);
  process.exit(2);
}
process.exit((await (name === "smoke" ? smoke(args) : measureBench(name, args))) ? 0 : 1);
