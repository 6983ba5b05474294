import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Manifest } from "../archive/archive-format.ts";
import { fillFromArchive } from "../archive/fill-from-archive.ts";
import { openArchiveFile } from "../archive/read-archive.ts";
import { embeddedTarget } from "../archive/restore-target.ts";

/**
 * Restores a backup into a temporary embedded database and compares the hash of each table.
 * @param given the directory of that database, removed before and afterwards; by default a new one
 * @throws ArchiveError `unreadable_file`, `damaged_archive`, `newer_schema`
 */
export async function verifyBackup(
  file: string,
  given?: string,
): Promise<{ manifest: Manifest; rows: number }> {
  const backup = await openArchiveFile(file);
  await using opened = new AsyncDisposableStack();
  const place = given ?? (await mkdtemp(path.join(tmpdir(), "soul-hub-verify-")));
  opened.defer(() => rm(place, { recursive: true, force: true }));
  const directory = path.join(place, "database");
  // A verification that was killed may have left its database behind.
  await rm(directory, { recursive: true, force: true });
  const target = opened.use(await embeddedTarget({ directory, sync: false }));
  return { manifest: backup.manifest, rows: await fillFromArchive(target, backup) };
}
