/** Runs after every `pnpm install`. A tarball, an image and CI have no hooks to install. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

if (existsSync(".git") && !process.env.CI) {
  // Never fails the install: a hook is a comfort, `pnpm check` is the judge.
  spawnSync("lefthook", ["install"], { shell: true, stdio: ["ignore", "ignore", "inherit"] });
}
