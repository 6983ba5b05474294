/**
 * `pnpm openapi` generates openapi.json from the procedures. With `--check` it fails if the committed
 * file differs.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const committed = "openapi.json";
const printer = "apps/server/src/openapi.ts";

const { status, stdout } = spawnSync(process.execPath, [printer], {
  encoding: "utf8",
  // The document has more than the default of 1 MiB.
  maxBuffer: 16 * 1024 * 1024,
  stdio: ["ignore", "pipe", "inherit"],
});

if (status !== 0) {
  console.error(`${printer} failed.`);
  process.exitCode = 1;
} else if (!process.argv.includes("--check")) {
  writeFileSync(committed, stdout);
} else if (readFileSync(committed, "utf8") !== stdout) {
  const difference = spawnSync("git", ["diff", "--no-index", "--", committed, "-"], {
    encoding: "utf8",
    input: stdout,
  });
  console.error(`${committed} is out of date: run \`pnpm openapi\` and commit it.`);
  console.error(difference.stdout);
  process.exitCode = 1;
}
