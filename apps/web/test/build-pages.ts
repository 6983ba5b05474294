import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, statSync } from "node:fs";
import path from "node:path";

const web = path.resolve(import.meta.dirname, "..");
const viteProgram = path.join(web, "node_modules/vite/bin/vite.js");

/** Builds the pages if a source is newer than the build. */
export async function buildPagesWhereStale(): Promise<void> {
  const changed = (pattern: string) =>
    Math.max(
      0,
      ...globSync(pattern, { cwd: web }).map((file) => statSync(path.join(web, file)).mtimeMs),
    );
  const sources = Math.max(
    changed("{src,public}/**"),
    changed("{index.html,vite.config.ts,page-files.ts,package.json}"),
  );
  if (changed("dist/index.html") >= sources) return;
  // The build runs with NODE_ENV "production". With Vitest's value, "test", Vite would bundle
  // React's development build.
  const child = spawn(process.execPath, [viteProgram, "build", "--logLevel", "error"], {
    cwd: web,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_ENV: "production" },
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error("The pages could not be built.");
}
