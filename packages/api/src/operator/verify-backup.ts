import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Manifest } from "../archive/archive-format.ts";
import { fillFromArchive } from "../archive/fill-from-archive.ts";
import { embeddedTarget } from "../archive/restore-target.ts";
import { openBackupFile } from "./open-backup.ts";

/**
 * Restores a backup into a temporary embedded database and compares the hash of each table.
 * @throws ArchiveError `damaged_archive`, `newer_schema`
 */
export async function verifyBackup(file: string): Promise<{ manifest: Manifest; rows: number }> {
  const { manifest, entries } = await openBackupFile(file);
  const place = await mkdtemp(path.join(tmpdir(), "soul-hub-verify-"));
  try {
    const target = await embeddedTarget({ directory: path.join(place, "database"), sync: false });
    try {
      return { manifest, rows: await fillFromArchive(target, manifest, entries) };
    } finally {
      await target.close();
    }
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
