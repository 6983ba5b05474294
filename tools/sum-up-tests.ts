/**
 * Prints the ten longest test files and the last line of `.ci/run`, `N passed, N failed`, from
 * vitest's JSON report. A skipped test counts as failed, because `.ci/run` provides every service.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

interface Results {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    status: string;
    startTime: number;
    endTime: number;
    assertionResults: { fullName: string; status: string }[];
  }[];
}

const noResults: Results = {
  success: false,
  numPassedTests: 0,
  numFailedTests: 1,
  testResults: [],
};
const [file = ""] = process.argv.slice(2);
const results: Results = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : noResults;

const tests = results.testResults.flatMap((it) => it.assertionResults);
const skipped = tests.filter(({ status }) => status !== "passed" && status !== "failed");
for (const { status, fullName } of skipped) console.log(`${status}: ${fullName}`);

// A test file that fails to load contributes no failed test. It counts as one failure itself.
const broken = results.testResults.filter(
  ({ status, assertionResults }) =>
    status === "failed" && !assertionResults.some((it) => it.status === "failed"),
);
for (const { name } of broken) console.log(`failed: ${name}`);

// A file above a minute should be split or become deep (CONTRIBUTING, Tests).
const longest = results.testResults
  .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
  .sort((a, b) => b.seconds - a.seconds)
  .slice(0, 10);
for (const { name, seconds } of longest) {
  console.log(`${seconds.toFixed(1).padStart(6)} s  ${path.relative(process.cwd(), name)}`);
}

const failed = results.numFailedTests + broken.length + skipped.length;
console.log(`${results.numPassedTests} passed, ${failed} failed`);
process.exitCode = failed === 0 && results.success && results.numPassedTests > 0 ? 0 : 1;
