import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

/** The output of the web client's build. */
export interface BuiltPages {
  directory: string;
  /** The built index.html, from which the HTML of every page is made. */
  index: string;
  /** Returns the assets of the page at a path; undefined when the router has no such page. */
  filesOf(pathname: string): PageFiles | undefined;
}

/** Paths of the assets that one page needs besides those of every page (apps/web/page-files.ts). */
export interface PageFiles {
  scripts: string[];
  styles: string[];
}

const manifest = z.array(
  z.object({ path: z.string(), scripts: z.array(z.string()), styles: z.array(z.string()) }),
);

/** Reads the build's output; null when the web client has not been built. */
export function readBuiltPages(): BuiltPages | null {
  const directory = buildDirectory();
  const read = (name: string) => readFileSync(path.join(directory, name), "utf8");
  if (!existsSync(path.join(directory, "index.html"))) return null;
  const pages = manifest
    .parse(JSON.parse(read("page-files.json")))
    .map(({ path, ...files }) => ({ pattern: toPattern(path), files }));
  return {
    directory,
    index: read("index.html"),
    filesOf: (pathname) => pages.find(({ pattern }) => pattern.test(pathname))?.files,
  };
}

/** Where the build is: beside this module in the npm package (0072), else in the workspace. */
function buildDirectory(): string {
  const packed = path.join(import.meta.dirname, "web");
  if (existsSync(packed)) return packed;
  return path.resolve(fileURLToPath(import.meta.resolve("@soul-hub/web/package.json")), "../dist");
}

/** Turns a path of the router into a pattern. `$id` is one segment, `{-$group}` one or none. */
const toPattern = (path: string) => {
  const segments = path.replaceAll(/\/\{-\$\w+\}/g, "(?:/[^/]+)?").replaceAll(/\$\w+/g, "[^/]+");
  return new RegExp(`^${segments}/?$`);
};
