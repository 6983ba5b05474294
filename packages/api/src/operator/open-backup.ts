import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { ArchiveError } from "../archive/archive-error.ts";
import type { Manifest } from "../archive/archive-format.ts";
import { type ArchiveEntry, readArchive } from "../archive/read-archive.ts";
import { migrations } from "../db/migrate.ts";

export interface OpenBackup {
  manifest: Manifest;
  /** The text of secrets.json; null if the backup holds no keys. */
  secrets: string | null;
  /** The remaining entries. */
  entries: AsyncGenerator<ArchiveEntry>;
}

/**
 * Opens the file of a backup.
 * @throws ArchiveError `unreadable_file`, and the errors of {@link openBackup}
 */
export async function openBackupFile(file: string): Promise<OpenBackup> {
  const opening = open(file).catch((cause: NodeJS.ErrnoException) => {
    throw new ArchiveError("unreadable_file", `${file} can't be read (${cause.code}).`, { cause });
  });
  return openBackup((await opening).createReadStream());
}

/**
 * Reads the beginning of a backup.
 * @throws ArchiveError `damaged_archive`, `newer_schema`
 */
export async function openBackup(input: Readable): Promise<OpenBackup> {
  const entries = readArchive(input);
  const { value: first } = await entries.next();
  if (!first || !("manifest" in first)) {
    throw new ArchiveError("damaged_archive", "This is not a whole backup: it is empty.");
  }
  const { schema, app } = first.manifest;
  if (schema > migrations.length) {
    throw new ArchiveError(
      "newer_schema",
      `This backup has schema ${schema} of Soul Hub ${app}. This release knows schemas up to ${migrations.length}. Use that release or a newer one.`,
    );
  }
  return { ...first, entries };
}
