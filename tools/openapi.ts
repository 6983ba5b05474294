/**
 * `pnpm openapi` generates openapi.json from the procedures. With `--check` it fails if the committed
 * file differs.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";

const committed = "openapi.json";
const printer = "apps/server/src/openapi.ts";

/** Node gives up at 1 MiB by default, which the document exceeds. */
const MAX_BYTES = 16 * 1024 * 1024;

const { status, stdout } = spawnSync(process.execPath, [printer], {
  encoding: "utf8",
  maxBuffer: MAX_BYTES,
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
    maxBuffer: MAX_BYTES,
    input: stdout,
  });
  console.error(`${committed} is out of date: run \`pnpm openapi\` and commit it.`);
  console.error(difference.stdout);
  process.exitCode = 1;
}
