/**
 * `pnpm openapi` generates openapi.json from the procedures. With `--check` it fails if the committed
 * file differs.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const committed = "openapi.json";

/** Returns what a program prints. A program that fails ends this one. */
function run(program: string, args: string[], input?: string): string {
  const { status, stdout } = spawnSync(program, args, {
    encoding: "utf8",
    // Node gives up at 1 MiB by default.
    maxBuffer: 16 * 1024 * 1024,
    input,
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (status !== 0) {
    console.error(`${[program, ...args].join(" ")} failed.`);
    process.exit(1);
  }
  return stdout;
}

const printed = run(process.execPath, ["apps/server/src/openapi.ts"]);
const formatted = run(
  "node_modules/.bin/biome",
  ["format", `--stdin-file-path=${committed}`],
  printed,
);

if (!process.argv.includes("--check")) {
  writeFileSync(committed, formatted);
} else if (readFileSync(committed, "utf8") !== formatted) {
  console.error(`${committed} is out of date: run \`pnpm openapi\` and commit it.`);
  spawnSync("git", ["diff", "--no-index", "--", committed, "-"], {
    input: formatted,
    stdio: ["pipe", "inherit", "inherit"],
  });
  process.exitCode = 1;
}
