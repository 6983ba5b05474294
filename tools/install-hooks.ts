/** Installs the git hooks after `pnpm install`. Without a `.git` folder and in CI it does nothing. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

if (existsSync(".git") && !process.env.CI) {
  // The exit code is ignored, because hooks are optional and must not fail the install.
  spawnSync("lefthook", ["install"], { shell: true, stdio: ["ignore", "ignore", "inherit"] });
}
