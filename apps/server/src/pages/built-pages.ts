import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type FilesOfPage, readPageFiles } from "./page-files.ts";

/** The web client as it was built. */
export interface BuiltPages {
  directory: string;
  /** The HTML that every page begins as. */
  index: string;
  filesOf: FilesOfPage;
}

/** Null: not built. */
export function readBuiltPages(): BuiltPages | null {
  const web = fileURLToPath(import.meta.resolve("@soul-hub/web/package.json"));
  const directory = path.resolve(web, "../dist");
  const indexFile = path.join(directory, "index.html");
  if (!existsSync(indexFile)) return null;
  return {
    directory,
    index: readFileSync(indexFile, "utf8"),
    filesOf: readPageFiles(path.join(directory, "page-files.json")),
  };
}
