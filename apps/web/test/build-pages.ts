import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import path from "node:path";

const web = path.resolve(import.meta.dirname, "..");
const viteProgram = path.join(web, "node_modules/vite/bin/vite.js");

const built = path.join(web, "dist");

/**
 * Builds the pages if a source is newer than the build. Two workers may build at the same time, and
 * a hub may already serve the files of the first one. The second one therefore discards its build.
 */
export async function buildPagesWhereStale(): Promise<void> {
  if (isFresh()) return;
  // Git ignores this folder, and `rename` needs one on the same disk.
  const own = path.join(web, `node_modules/pages-${process.pid}`);
  try {
    await buildInto(own);
    if (isFresh()) return;
    await rm(built, { recursive: true, force: true });
    await rename(own, built);
  } catch (error) {
    if (!isFresh()) throw error;
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

function isFresh(): boolean {
  const changed = (pattern: string) =>
    Math.max(
      0,
      ...globSync(pattern, { cwd: web }).map((file) => statSync(path.join(web, file)).mtimeMs),
    );
  const sources = Math.max(
    changed("{src,public}/**"),
    changed("{index.html,vite.config.ts,page-files.ts,package.json}"),
  );
  return changed("dist/index.html") >= sources;
}

async function buildInto(directory: string): Promise<void> {
  const options = ["--outDir", directory, "--emptyOutDir", "--logLevel", "error"];
  // The build runs with NODE_ENV "production". With Vitest's value, "test", Vite would bundle
  // React's development build.
  const child = spawn(process.execPath, [viteProgram, "build", ...options], {
    cwd: web,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_ENV: "production" },
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error("The pages could not be built.");
}
