import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../..");
const MAIN = "apps/server/src/main.ts";

/** The `main.ts` of this checkout's server. */
export const presentRelease = path.join(ROOT, MAIN);

/**
 * Copies a commit into a temporary directory and installs its dependencies from pnpm's store, or
 * else from the registry.
 * @param commit any name of a commit that Git knows
 */
export async function checkOutRelease(commit: string): Promise<{ main: string } & AsyncDisposable> {
  const directory = await mkdtemp(path.join(tmpdir(), "soul-hub-release-"));
  const archive = path.join(directory, "release.tar");
  const run = (program: string, args: string[], cwd: string) =>
    execFileSync(program, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  run("git", ["archive", "--output", archive, commit], ROOT);
  run("tar", ["-xf", archive], directory);
  run(
    "npx",
    ["-y", "pnpm@12", "install", "--frozen-lockfile", "--prefer-offline", "--ignore-scripts"],
    directory,
  );
  return {
    main: path.join(directory, MAIN),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
