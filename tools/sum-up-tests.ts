/**
 * The last line of `.ci/run`: `N passed, N failed`, from the JSON that vitest wrote. A skipped
 * test fails: there everything is provided, so nothing has a reason to be left out.
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

const nothing: Results = { success: false, numPassedTests: 0, numFailedTests: 1, testResults: [] };
const [file = ""] = process.argv.slice(2);
const results: Results = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : nothing;

const tests = results.testResults.flatMap((it) => it.assertionResults);
const leftOut = tests.filter(({ status }) => status !== "passed" && status !== "failed");
for (const { status, fullName } of leftOut) console.log(`${status}: ${fullName}`);

// A file that does not load has no failed test, only itself.
const broken = results.testResults.filter(
  ({ status, assertionResults }) =>
    status === "failed" && !assertionResults.some((it) => it.status === "failed"),
);
for (const { name } of broken) console.log(`failed: ${name}`);

const failed = results.numFailedTests + broken.length + leftOut.length;
console.log(`${results.numPassedTests} passed, ${failed} failed`);
process.exitCode = failed === 0 && results.success && results.numPassedTests > 0 ? 0 : 1;
