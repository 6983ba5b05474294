import { chmod, rename, writeFile } from "node:fs/promises";

/**
 * Writes a file atomically: a truncated master key would make all data that it encrypts unreadable.
 */
export async function writeWhole(file: string, content: object): Promise<void> {
  const unfinished = `${file}.new`;
  await writeFile(unfinished, `${JSON.stringify(content, null, 2)}\n`, {
    mode: 0o600,
    flush: true,
  });
  await chmod(unfinished, 0o600);
  await rename(unfinished, file);
}
