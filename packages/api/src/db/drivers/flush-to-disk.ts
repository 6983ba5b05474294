import { closeSync, fsyncSync, openSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import path from "node:path";

/** Number of files that are flushed at once. File systems flush concurrent calls together. */
const AT_ONCE = 32;

/**
 * Codes of systems and file systems that cannot flush a directory, or do not let this user read it.
 * PostgreSQL ignores the same codes (`fsync_fname_ext`).
 */
const NOT_FLUSHABLE = ["EACCES", "EBADF", "EINVAL", "EISDIR", "EPERM"];

function unlessNotFlushable(error: unknown): void {
  if (!NOT_FLUSHABLE.includes(String((error as NodeJS.ErrnoException).code))) throw error;
}

/** Flushes the entries of a directory to disk: the names of new, renamed and deleted files. */
export function flushDirectory(directory: string): void {
  try {
    const descriptor = openSync(directory, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    unlessNotFlushable(error);
  }
}

async function flushFile(file: string): Promise<void> {
  // Windows flushes only files that are open for writing.
  await using handle = await open(file, "r+");
  await handle.sync();
}

/**
 * Flushes a directory, everything in it, and its own name to disk.
 * @throws Error of the system, if it cannot flush a file
 */
export async function flushTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = (kind: "isFile" | "isDirectory") =>
    entries
      .filter((entry) => entry[kind]())
      .map(({ parentPath, name }) => path.join(parentPath, name));
  const files = paths("isFile");
  for (let nth = 0; nth < files.length; nth += AT_ONCE) {
    await Promise.all(files.slice(nth, nth + AT_ONCE).map(flushFile));
  }
  for (const each of [...paths("isDirectory"), directory, path.dirname(path.resolve(directory))]) {
    flushDirectory(each);
  }
}
