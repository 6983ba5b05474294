import { execFile } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { ROOT } from "../processes/server.ts";
import type { Stage } from "../runner/stage.ts";

const run = promisify(execFile);

/**
 * Packs the npm package and installs it in a folder of its own. It needs the npm registry.
 * @returns the path of its program
 */
export async function installPackage(stage: Stage): Promise<string> {
  const folder = await stage.newDirectory();
  const pack = ["-y", "pnpm@12", "--filter", "soul-hub-server", "pack"];
  await run("npx", [...pack, "--pack-destination", folder], { cwd: ROOT });
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "";
  await writeFile(path.join(folder, "package.json"), "{}");
  await run("npm", ["install", "--no-audit", "--no-fund", `./${tarball}`], { cwd: folder });
  return path.join(folder, "node_modules/soul-hub-server/dist/main.js");
}
