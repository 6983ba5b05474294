/**
 * `pnpm check`: all static checks and all tests. `pnpm check biome tsc` runs only the named steps.
 * The rules are in each tool's own configuration file.
 */
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";

interface Step {
  name: string;
  command: string;
}

/** The tools write to a pipe and cannot detect a terminal, so their color options are set. */
const tty = process.stdout.isTTY === true;

/** The steps that only read files. They run in parallel. */
const staticChecks: Step[] = [
  {
    name: "biome",
    command: `biome ci --error-on-warnings --max-diagnostics=100 --colors=${tty ? "force" : "off"}`,
  },
  { name: "direction", command: "depcruise apps packages bench tools" },
  { name: "knip", command: "knip" },
  ...globSync(["tsconfig.json", "{apps,packages}/*/tsconfig.json"])
    .sort()
    .map((file) => ({ name: `tsc ${file}`, command: `tsc --pretty ${tty} -p ${file}` })),
  { name: "openapi", command: "node tools/openapi.ts --check" },
];

/** The tests run after the static checks, because they need the CPU and open ports. */
const tests: Step = { name: "vitest", command: "vitest run" };

/** Runs one step and prints its result. For a failed step it also prints the complete output. */
async function run({ name, command }: Step): Promise<boolean> {
  const start = performance.now();
  const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
  const code = await new Promise<number | null>((done) => child.on("close", done));
  const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(6);
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${seconds} s  ${name}`);
  if (code !== 0) console.log(`\n$ ${command}\n${Buffer.concat(output).toString()}`);
  return code === 0;
}

/** Runs the steps with one worker per core. Returns true if all pass. */
async function runAll(steps: Step[]): Promise<boolean> {
  const queue = steps.values();
  const results: boolean[] = [];
  const worker = async () => {
    for (const step of queue) results.push(await run(step));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return results.every(Boolean);
}

const names = process.argv.slice(2);
const isSelected = ({ name }: Step) =>
  names.length === 0 || names.some((start) => name.startsWith(start));

const checked = await runAll(staticChecks.filter(isSelected));
const tested = await runAll([tests].filter(isSelected));
process.exitCode = checked && tested ? 0 : 1;
