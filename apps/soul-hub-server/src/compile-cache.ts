import { createHash } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { enableCompileCache, getCompileCacheDir } from "node:module";
import path from "node:path";

/**
 * Keeps what V8 compiles in `compile-cache` of a directory, for the next start (0081). The code of
 * another Node or release is deleted. A directory that cannot be written does not matter, and
 * NODE_COMPILE_CACHE names another one.
 * @param program the file of the bundle that names all others, with the hashes of their contents
 */
export function keepCompiledCode(directory: string, program: string): void {
  if (getCompileCacheDir()) return;
  const all = path.join(directory, "compile-cache");
  const digest = createHash("sha256").update(readFileSync(program)).digest("hex");
  const own = path.join(all, `${process.version}-${digest.slice(0, 16)}`);
  try {
    if (!existsSync(own)) {
      rmSync(all, { recursive: true, force: true });
      // Node would let everyone on the machine read the directory.
      mkdirSync(own, { recursive: true, mode: 0o700 });
    }
    // Another user of the machine could have put code into a directory of theirs.
    if (lstatSync(own).uid === process.getuid?.()) enableCompileCache(own);
  } catch {}
}
