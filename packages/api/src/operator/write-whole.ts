import { chmod, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { flushDirectory } from "../db/drivers/flush-to-disk.ts";

/**
 * Writes a file atomically: a truncated master key would make all data that it encrypts unreadable.
 * The directory is flushed too, or a power cut could undo the renaming (0029).
 */
export async function writeWhole(file: string, content: object): Promise<void> {
  const unfinished = `${file}.new`;
  await writeFile(unfinished, `${JSON.stringify(content, null, 2)}\n`, {
    mode: 0o600,
    flush: true,
  });
  await chmod(unfinished, 0o600);
  await rename(unfinished, file);
  flushDirectory(path.dirname(file));
}
