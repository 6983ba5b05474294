/**
 * Prints the last line of `.ci/run`, `N passed, N failed`, from vitest's JSON report. A skipped test
 * counts as failed, because `.ci/run` provides every service.
 */
import { existsSync, readFileSync } from "node:fs";

interface Results {
  success: boolean;
  numPassedTests: number;
  numFailedTests: number;
  testResults: {
    name: string;
    status: string;
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

const failed = results.numFailedTests + broken.length + skipped.length;
console.log(`${results.numPassedTests} passed, ${failed} failed`);
process.exitCode = failed === 0 && results.success && results.numPassedTests > 0 ? 0 : 1;
