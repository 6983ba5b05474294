import { mkdir, open, readdir, stat, statfs, writeFile } from "node:fs/promises";
import path from "node:path";
import { sql } from "kysely";
import { ArchiveError } from "../archive/archive-error.ts";
import type { Db } from "../db/database.ts";
import { nullIfAbsent } from "../operator/null-if-absent.ts";

/** The write-ahead log is copied last, because it describes the changes made during the copy. */
const LOG = "pg_wal";
/** A copy has no server, and PostgreSQL creates the file again. */
const NOT_COPIED = "postmaster.pid";

/**
 * A part of a file that is copied and flushed at a time, in bytes. Without these flushes the disk
 * receives the whole copy at once, and the flush behind a write of the hub waits for it.
 */
const PART_BYTES = 4 * 1024 * 1024;

/** Returns the directory of a database's copy, from which a backup is written. */
export const copyOf = (directory: string): string => `${directory}.backup`;

/**
 * Copies the directory of the embedded database while the hub uses it, as PostgreSQL's manual
 * describes it (low-level base backup, section 25.3.4). Opening the copy replays its log.
 * @param to a directory that does not exist yet
 * @throws ArchiveError `no_space`; the signal's reason if it aborts
 */
export async function copyEmbedded(
  db: Db,
  directory: string,
  { to, signal }: { to: string; signal: AbortSignal },
): Promise<void> {
  await assertSpace(directory);
  await sql`select pg_backup_start('soul-hub', true)`.execute(db);
  const stop = () =>
    sql<{ labelfile: string }>`
    select labelfile from pg_backup_stop(false)`.execute(db);
  const copying = copyTree(directory, to, { signal, skips: [LOG, NOT_COPIED] });
  const { rows } = await copying.then(stop, async (error: unknown) => {
    await stop();
    throw error;
  });
  await copyTree(path.join(directory, LOG), path.join(to, LOG), { signal });
  await writeFile(path.join(to, "backup_label"), rows[0]?.labelfile ?? "");
}

async function assertSpace(directory: string): Promise<void> {
  let needed = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { size = 0 } =
      (await stat(path.join(entry.parentPath, entry.name)).catch(nullIfAbsent)) ?? {};
    needed += size;
  }
  const { bavail, bsize } = await statfs(directory);
  // The archive itself may be on the same disk.
  if (bavail * bsize > needed * 1.5) return;
  const mb = (bytes: number) => Math.ceil(bytes / 1024 / 1024);
  throw new ArchiveError(
    "no_space",
    `A backup needs ${mb(needed * 1.5)} MB of free disk space for a copy of the embedded database and for the archive; ${mb(bavail * bsize)} MB are free.`,
  );
}

interface CopyOptions {
  signal: AbortSignal;
  /** Names of files and directories that are not copied. */
  skips?: string[];
}

async function copyTree(from: string, to: string, { signal, skips = [] }: CopyOptions) {
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (skips.includes(entry.name)) continue;
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target, { signal });
    else await copyInParts(source, target, signal);
  }
}

/** Copies a file in parts, so that a stopping hub does not wait for a large one. */
async function copyInParts(source: string, target: string, signal: AbortSignal): Promise<void> {
  // PostgreSQL may remove a file during the copy. The log then removes it from the copy, too.
  await using reading = await open(source).catch(nullIfAbsent);
  if (!reading) return;
  await using writing = await open(target, "wx", 0o600);
  const { size } = await reading.stat();
  const part = Buffer.allocUnsafe(Math.min(size + 1, PART_BYTES));
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await reading.read(part, 0, part.length);
    if (bytesRead === 0) return;
    await writing.writeFile(part.subarray(0, bytesRead));
    if (bytesRead === PART_BYTES) await writing.datasync();
  }
}
