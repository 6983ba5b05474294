/**
 * A reporter of vitest for `.ci/run`. It writes the failures, the ten longest test files and the
 * line `N passed, N failed` to the file that SUMMARY_FILE names. A skipped test counts as failed, because
 * `.ci/run` provides every service.
 */
import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** A broken service fails hundreds of tests, and the first of them tell the cause. */
const MAX_LINES = 60;

const inSeconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1).padStart(6)} s`;
const firstLine = ({ message }: Pick<SerializedError, "message">) =>
  message.trim().split("\n", 1)[0];

/** A module's tests, and the errors outside of them: it did not load, or a hook failed. */
function resultsOf(module: TestModule) {
  const tests = [...module.children.allTests()];
  const suites = [...module.children.allSuites()];
  return {
    name: module.relativeModuleId,
    milliseconds: module.diagnostic().duration,
    errors: [module, ...suites].flatMap((it) => it.errors()),
    passed: tests.filter((it) => it.result().state === "passed").length,
    failed: tests.filter((it) => it.result().state === "failed"),
    skipped: tests.filter((it) => it.result().state === "skipped"),
  };
}

export class SummaryReporter implements Reporter {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const results = modules.map(resultsOf);
    const lines = unhandled.map((error) => `unhandled: ${firstLine(error)}`);
    for (const { name, errors, failed, skipped } of results) {
      // The skipped tests of a failed hook would hide its error.
      if (errors.length > 0) lines.push(`failed: ${name}, with ${skipped.length} skipped tests`);
      else lines.push(...skipped.map((it) => `skipped: ${name}: ${it.fullName}`));
      lines.push(...errors.map((error) => `  ${firstLine(error)}`));
      for (const it of failed) {
        const [error = { message: "no error" }] = it.result().errors ?? [];
        lines.push(`failed: ${name}: ${it.fullName}: ${firstLine(error)}`);
      }
    }
    if (lines.length > MAX_LINES)
      lines.splice(MAX_LINES, Infinity, `and ${lines.length - MAX_LINES} more lines`);
    // A file above a minute should be split or become deep (CONTRIBUTING, Tests).
    const longest = results.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 10);
    lines.push(...longest.map((it) => `${inSeconds(it.milliseconds)}  ${it.name}`));

    const sum = (count: (it: (typeof results)[number]) => number) =>
      results.reduce((total, it) => total + count(it), 0);
    const passed = sum((it) => it.passed);
    const failed =
      unhandled.length + sum((it) => it.failed.length + it.skipped.length + it.errors.length);
    lines.push(`${passed} passed, ${failed} failed`);
    if (failed > 0 || passed === 0) process.exitCode = 1;
    writeFileSync(this.#file, `${lines.join("\n")}\n`);
  }
}
