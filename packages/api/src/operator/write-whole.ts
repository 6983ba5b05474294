import { open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { flushDirectory } from "../db/drivers/flush-to-disk.ts";

/** The end of a file's name until the file is whole. */
export const UNFINISHED = ".unfinished";

/**
 * Writes a file with mode 0600. The file has its name only once it is whole and on the disk. The
 * directory is flushed too, or a power cut could undo the renaming (0029).
 */
export async function writeWhole(
  file: string,
  content: AsyncIterable<Buffer> | Iterable<string>,
): Promise<void> {
  const unfinished = `${file}${UNFINISHED}`;
  try {
    const handle = await open(unfinished, "w", 0o600);
    // A file that exists already keeps its mode.
    await handle.chmod(0o600);
    await pipeline(content, handle.createWriteStream({ flush: true }));
    await rename(unfinished, file);
    flushDirectory(path.dirname(file));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Writes JSON whole: a truncated master key would make all data that it encrypts unreadable. */
export const writeJson = (file: string, content: object): Promise<void> =>
  writeWhole(file, [`${JSON.stringify(content, null, 2)}\n`]);
