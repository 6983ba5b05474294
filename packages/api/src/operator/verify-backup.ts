import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Manifest } from "../archive/archive-format.ts";
import { fillFromArchive } from "../archive/fill-from-archive.ts";
import { embeddedTarget } from "../archive/restore-target.ts";
import { openBackupFile } from "./open-backup.ts";

/**
 * Restores a backup into a temporary embedded database and compares the hash of each table.
 * @param given the directory of that database, removed before and afterwards; by default a new one
 * @throws ArchiveError `unreadable_file`, `damaged_archive`, `newer_schema`
 */
export async function verifyBackup(
  file: string,
  given?: string,
): Promise<{ manifest: Manifest; rows: number }> {
  const { manifest, entries } = await openBackupFile(file);
  const place = given ?? (await mkdtemp(path.join(tmpdir(), "soul-hub-verify-")));
  try {
    // A verification that was killed may have left its database behind.
    await rm(path.join(place, "database"), { recursive: true, force: true });
    const directory = path.join(place, "database");
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const target = await embeddedTarget({ directory, sync: false });
    try {
      return { manifest, rows: await fillFromArchive(target, manifest, entries) };
    } finally {
      await target.close();
    }
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
