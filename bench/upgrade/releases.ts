import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import path from "node:path";
import { MAIN, ROOT } from "../processes/server.ts";
import { blame } from "../runner/measure.ts";
import type { Stage } from "../runner/stage.ts";

/** The last commit of the first release. */
const FIRST_RELEASE = "9c12d14";
export const EARLIER = "earlier release";
export const PRESENT = "present release";

/** Checks the earlier release out, once per stage. */
export const earlierOf = (stage: Stage): Promise<string> =>
  stage.share(EARLIER, () =>
    blame(EARLIER, () => checkOutRelease(stage, stage.option("commit", FIRST_RELEASE))),
  );

/**
 * Copies a commit into a temporary directory and installs its dependencies from pnpm's store, or
 * else from the registry. `pnpm bench smoke` only asks Git for the commit, and copies the present
 * one with the dependencies of this checkout.
 * @param commit any name of a commit that Git knows
 * @returns the path of its main.ts
 */
export async function checkOutRelease(stage: Stage, commit: string): Promise<string> {
  const directory = await stage.newDirectory();
  const run = (cwd: string, program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });
  try {
    run(ROOT, "git", "cat-file", "-e", `${commit}:${MAIN}`);
  } catch (cause) {
    throw new Error(`Git has no commit ${commit}. Fetch the whole history.`, { cause });
  }
  const archive = path.join(directory, "release.tar");
  run(ROOT, "git", "archive", "--output", archive, stage.size(commit, "HEAD"));
  run(directory, "tar", "-xf", archive);
  if (stage.isSmoke) {
    // The node_modules of each package find the packages of this checkout.
    const packages = run(ROOT, "git", "ls-files", "package.json", "*/package.json");
    for (const name of packages.trim().split("\n")) {
      const modules = path.join(path.dirname(name), "node_modules");
      if (!existsSync(path.join(ROOT, modules))) continue;
      await symlink(path.join(ROOT, modules), path.join(directory, modules));
    }
  } else {
    const install = ["install", "--frozen-lockfile", "--prefer-offline", "--ignore-scripts"];
    run(directory, "npx", "-y", "pnpm@12", ...install);
  }
  return path.join(directory, MAIN);
}
