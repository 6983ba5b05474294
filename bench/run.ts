/**
 * `pnpm bench <name> [row…] [option=value…]` runs one benchmark, or the rows whose names contain an
 * argument. `pnpm bench smoke [name…]` runs every scenario once with its smallest load.
 * bench/README.md explains the results.
 */
import { benches } from "./benches.ts";
import { measureBench } from "./runner/measure-bench.ts";
import { smoke } from "./runner/smoke.ts";

const [name = "", ...args] = process.argv.slice(2);
if (name === "smoke") {
  process.exit((await smoke(args)) ? 0 : 1);
} else if (name in benches) {
  process.exit((await measureBench(name, args)) ? 0 : 1);
} else {
  console.error(`Name a benchmark: pnpm bench smoke | ${Object.keys(benches).join(" | ")}`);
  process.exit(2);
}
