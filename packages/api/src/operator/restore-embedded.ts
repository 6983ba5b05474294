import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { ArchiveError } from "../archive/archive-error.ts";
import { fillFromArchive } from "../archive/fill-from-archive.ts";
import { missingKeys } from "../archive/master-key-checks.ts";
import { embeddedTarget } from "../archive/restore-target.ts";
import { lockDataDirectory, parseSecrets, readSecrets, secretsFile } from "./data-directory.ts";
import { blame } from "./environment-error.ts";
import { commitRestore, formerName, RESTORED_SECRETS, RESTORING } from "./finish-restore.ts";
import type { OpenBackup } from "./open-backup.ts";
import { fileTime, type Restored, type RestoreOptions, wrongKeys } from "./restore-options.ts";
import { writeWhole } from "./write-whole.ts";

/** Restores a backup into the data directory of an embedded hub, which must not run. */
export async function restoreEmbedded(
  backup: OpenBackup,
  options: RestoreOptions,
): Promise<Restored> {
  const lock = await lockDataDirectory(options.dataDir);
  const { directory } = lock;
  try {
    const target = path.join(directory, "database");
    const hasData = await isFilled(target);
    if (hasData && !options.replace) {
      throw new ArchiveError(
        "target_not_empty",
        `${target} contains a database. Restore with --replace to keep it under another name.`,
      );
    }
    const secrets = await restoredSecrets(directory, backup, options);
    const restoring = path.join(directory, RESTORING);
    const rows = await blame({ DATA_DIR: directory }, fill(restoring, backup));
    if (secrets) await writeWhole(path.join(directory, RESTORED_SECRETS), JSON.parse(secrets));
    const time = fileTime();
    await commitRestore(directory, time);
    const former = hasData ? formerName(target, time) : null;
    return { manifest: backup.manifest, rows, target, former };
  } finally {
    await lock.release();
  }
}

const isFilled = (directory: string): Promise<boolean> =>
  readdir(directory).then(
    (files) => files.length > 0,
    () => false,
  );

async function fill(directory: string, { manifest, entries }: OpenBackup): Promise<number> {
  try {
    const target = await embeddedTarget(directory);
    try {
      return await fillFromArchive(target, manifest, entries);
    } finally {
      await target.close();
    }
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Returns the text of the backup's secrets.json if it has to take the place of the present one.
 * Returns null if the keys at hand fit, or if the operator gives the secrets up.
 * @throws ArchiveError `wrong_keys`
 */
async function restoredSecrets(
  directory: string,
  { manifest, secrets }: OpenBackup,
  { masterKeys, loseSecrets }: RestoreOptions,
): Promise<string | null> {
  const file = secretsFile(directory);
  const present = masterKeys ?? (await readSecrets(directory))?.masterKeys;
  const missing = missingKeys(manifest.keys, present ?? []);
  if (present && missing.length === 0) return null;
  if (!masterKeys && secrets) {
    const { masterKeys: kept } = parseSecrets(file, secrets);
    if (missingKeys(manifest.keys, kept).length === 0) return secrets;
  }
  if (!loseSecrets) throw wrongKeys(missing, masterKeys ? "MASTER_KEYS" : file);
  return present || !secrets ? null : secrets;
}
