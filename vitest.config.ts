import { availableParallelism } from "node:os";
import path from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { DEEP, skippedFiles } from "./tools/deep-tests.ts";
import { LongestFirst } from "./tools/longest-first.ts";
import { SummaryReporter } from "./tools/summary-reporter.ts";

// Tests start a hundred processes of the same code, which takes a fifth less time when it is compiled.
process.env.NODE_COMPILE_CACHE ??= path.resolve("node_modules/.cache/compile-cache");

const summary = process.env.SUMMARY_FILE;

export default defineConfig({
  test: {
    include:
      process.env.DEEP_TESTS === "only"
        ? [DEEP]
        : [
            "{apps,packages}/*/{src,test}/**/*.test.{ts,tsx}",
            "bench/**/*.test.ts",
            "tools/*.test.ts",
          ],
    exclude: [...configDefaults.exclude, ...skippedFiles()],
    globalSetup: ["./tools/test-services.ts", "./packages/api/src/testing/database-template.ts"],
    // A worker runs its files in one module graph, so that they share one in-memory database.
    // Starting one takes longer than most files run.
    isolate: false,
    // Tests wait for browsers, servers and timers half of the time.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    reporters: ["default", ...(summary ? [new SummaryReporter(summary)] : [])],
    sequence: { sequencer: LongestFirst },
    // Several tests start servers and databases of their own, which takes long on a busy machine.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // A forgotten `.only` would skip all other tests.
    allowOnly: false,
  },
});
