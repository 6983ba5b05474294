import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import path from "node:path";
import type { Stage } from "../runner/stage.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const MAIN = "apps/server/src/main.ts";

/** The `main.ts` of this checkout's server. */
export const presentRelease = path.join(ROOT, MAIN);

/**
 * Copies a commit into a temporary directory and installs its dependencies from pnpm's store, or
 * else from the registry. `pnpm bench smoke` only asks Git for the commit, and copies the present
 * one with the dependencies of this checkout.
 * @param commit any name of a commit that Git knows
 */
export async function checkOutRelease(stage: Stage, commit: string): Promise<{ main: string }> {
  const directory = await stage.newDirectory();
  const run = (program: string, args: string[], cwd: string) =>
    execFileSync(program, args, { cwd, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8" });
  try {
    run("git", ["cat-file", "-e", `${commit}:${MAIN}`], ROOT);
  } catch (cause) {
    throw new Error(`Git has no commit ${commit}. Fetch the whole history.`, { cause });
  }
  const archive = path.join(directory, "release.tar");
  run("git", ["archive", "--output", archive, stage.size(commit, "HEAD")], ROOT);
  run("tar", ["-xf", archive], directory);
  if (stage.isSmoke) {
    await linkDependencies(directory);
  } else {
    const install = ["install", "--frozen-lockfile", "--prefer-offline", "--ignore-scripts"];
    run("npx", ["-y", "pnpm@12", ...install], directory);
  }
  return { main: path.join(directory, MAIN) };
}

/** Links the node_modules of each package. They find the packages of this checkout. */
async function linkDependencies(directory: string): Promise<void> {
  const names = execFileSync("git", ["ls-files", "package.json", "*/package.json"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const name of names.trim().split("\n")) {
    const modules = path.join(path.dirname(name), "node_modules");
    if (!existsSync(path.join(ROOT, modules))) continue;
    await symlink(path.join(ROOT, modules), path.join(directory, modules));
  }
}
