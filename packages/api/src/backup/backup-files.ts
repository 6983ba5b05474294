import { cp, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { masterKeyChecks } from "../archive/master-key-checks.ts";
import { fileTime } from "../file-time.ts";
import { UNFINISHED, writeWhole } from "../operator/write-whole.ts";
import type { MasterKey } from "../vault.ts";
import { startArchiveJob, wholeArchive } from "./archive-job.ts";
import { copyOf } from "./copy-embedded.ts";

export interface BackupFile {
  file: string;
  writtenAt: Date;
}

/** Lists the backups of a directory whose names begin with a prefix, the newest first. */
export async function listBackups(directory: string, prefix: string): Promise<BackupFile[]> {
  const names = (await readdir(directory)).filter(
    (name) => name.startsWith(prefix) && name.endsWith(".hub"),
  );
  const files = names.map(async (name) => {
    const file = path.join(directory, name);
    return { file, writtenAt: (await stat(file)).mtime };
  });
  return (await Promise.all(files)).sort((a, b) => b.writtenAt.getTime() - a.writtenAt.getTime());
}

/** Removes all but the newest backups, and files that were never finished. */
export async function pruneBackups(directory: string, prefix: string, keep: number): Promise<void> {
  for (const { file } of (await listBackups(directory, prefix)).slice(keep)) await rm(file);
  for (const name of await readdir(directory)) {
    if (name.startsWith(prefix) && name.endsWith(UNFINISHED)) await rm(path.join(directory, name));
  }
}

const BEFORE_MIGRATION = "before-migration-";
/** Number of backups before a migration that are kept. */
const KEEP_BEFORE_MIGRATION = 3;

/** An embedded database that nothing has open. */
interface ClosedDatabase {
  /** Its directory. */
  database: string;
  /** The directory of the backups. */
  backups: string;
  /** Null if the operator keeps the keys elsewhere. */
  secretsFile: string | null;
  masterKeys: readonly MasterKey[];
  version: string;
}

/**
 * Backs up an embedded database before its schema changes.
 * @returns the file of the backup
 */
export async function backUpBeforeMigration({
  database,
  backups,
  secretsFile,
  masterKeys,
  version,
}: ClosedDatabase): Promise<string> {
  await mkdir(backups, { recursive: true, mode: 0o700 });
  const file = path.join(backups, `${BEFORE_MIGRATION}${fileTime()}.hub`);
  // Another process never opens the database itself: it would not flush its writes, and it could
  // outlive a hub that is killed.
  const copy = copyOf(database);
  const removeCopy = () => rm(copy, { recursive: true, force: true });
  await using opened = new AsyncDisposableStack();
  opened.defer(removeCopy);
  await removeCopy();
  // `cp` sets the mode of a directory only after its content.
  await mkdir(copy, { mode: 0o700 });
  await cp(database, copy, { recursive: true });
  const secrets = secretsFile ? await readFile(secretsFile, "utf8") : undefined;
  const context = { app: version, keys: masterKeyChecks(masterKeys), secrets };
  const job = startArchiveJob({ task: "write", source: { directory: copy }, context });
  await writeWhole(file, wholeArchive(job));
  await pruneBackups(backups, BEFORE_MIGRATION, KEEP_BEFORE_MIGRATION);
  return file;
}
