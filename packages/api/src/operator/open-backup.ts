import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { ArchiveError } from "../archive/archive-error.ts";
import { type OpenArchive, openArchive } from "../archive/read-archive.ts";
import { migrations } from "../db/migrate.ts";

/**
 * Opens the file of a backup.
 * @throws ArchiveError `unreadable_file`, and the errors of {@link openBackup}
 */
export async function openBackupFile(file: string): Promise<OpenArchive> {
  const opening = open(file).catch((cause: NodeJS.ErrnoException) => {
    throw new ArchiveError("unreadable_file", `${file} can't be read (${cause.code}).`, { cause });
  });
  return openBackup((await opening).createReadStream());
}

/**
 * Opens a backup whose schema this release knows.
 * @throws ArchiveError `damaged_archive`, `newer_schema`
 */
export async function openBackup(input: Readable): Promise<OpenArchive> {
  const backup = await openArchive(input);
  const { schema, app } = backup.manifest;
  if (schema <= migrations.length) return backup;
  throw new ArchiveError(
    "newer_schema",
    `This backup has schema ${schema} of Soul Hub ${app}. This release knows schemas up to ${migrations.length}. Use that release or a newer one.`,
  );
}
