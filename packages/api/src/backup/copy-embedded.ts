import { copyFile, mkdir, readdir, stat, statfs, writeFile } from "node:fs/promises";
import path from "node:path";
import { sql } from "kysely";
import { ArchiveError } from "../archive/archive-error.ts";
import type { Db } from "../db/database.ts";
import { nullIfAbsent } from "../operator/null-if-absent.ts";

/** The write-ahead log is copied last, because it describes the changes made during the copy. */
const LOG = "pg_wal";
/** A copy has no server, and PostgreSQL creates the file again. */
const NOT_COPIED = "postmaster.pid";

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
  let isStopped = false;
  const stop = async () => {
    isStopped = true;
    const { rows } = await sql<{ labelfile: string }>`
      select labelfile from pg_backup_stop(false)`.execute(db);
    return rows[0]?.labelfile ?? "";
  };
  try {
    await copyTree(directory, to, (name) => name === LOG || name === NOT_COPIED);
    signal.throwIfAborted();
    const label = await stop();
    await copyTree(path.join(directory, LOG), path.join(to, LOG));
    await writeFile(path.join(to, "backup_label"), label);
  } finally {
    if (!isStopped) await stop();
  }
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

async function copyTree(from: string, to: string, skips: (name: string) => boolean = () => false) {
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (skips(entry.name)) continue;
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    // PostgreSQL may remove a file during the copy. The log then removes it from the copy, too.
    else await copyFile(source, target).catch(nullIfAbsent);
  }
}
