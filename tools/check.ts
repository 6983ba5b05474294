/**
 * `pnpm check`: everything a change must pass. `pnpm check biome tsc` runs the named steps only.
 * What may be said by a tool's own configuration stands there; this file only runs the tools.
 */
import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";

interface Step {
  name: string;
  command: string;
}

/** The tools write into a pipe and cannot see whether somebody reads at its end. */
const tty = process.stdout.isTTY === true;

/** Each reads files only, so they run side by side. */
const readers: Step[] = [
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

/** Measures time and ports, so it gets the machine for itself. */
const tests: Step = { name: "vitest", command: "vitest run" };

/** Runs one step, prints its line, and its whole output where it failed. */
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

/** Runs the steps as many at a time as there are processors; answers whether all went well. */
async function runAll(steps: Step[]): Promise<boolean> {
  const queue = steps.values();
  const results: boolean[] = [];
  const lane = async () => {
    for (const step of queue) results.push(await run(step));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return results.every(Boolean);
}

const names = process.argv.slice(2);
const wanted = ({ name }: Step) =>
  names.length === 0 || names.some((start) => name.startsWith(start));

const read = await runAll(readers.filter(wanted));
const tested = await runAll([tests].filter(wanted));
process.exitCode = read && tested ? 0 : 1;
